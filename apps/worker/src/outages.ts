const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

interface Outage {
  failures: number;
  pauseMs: number;
  pausedUntilMs: number;
}

/** Which places (providers, or servers) are away: their accounts are left alone for a while, longer each time. */
export class Outages {
  private readonly records = new Map<string, Outage>();

  /** @param failuresOfAnOutage in a row, over all accounts of a place, that no single account explains */
  constructor(
    private readonly failuresOfAnOutage: number,
    private readonly nowMs: () => number,
  ) {}

  isAway(place: string): boolean {
    return (this.records.get(place)?.pausedUntilMs ?? Number.NEGATIVE_INFINITY) > this.nowMs();
  }

  noteAnswer(place: string): void {
    this.records.delete(place);
  }

  /** @returns for how long the place is left alone from now on, milliseconds; null: it is not */
  noteFailure(place: string): number | null {
    const record = this.records.get(place) ?? { failures: 0, pauseMs: 0, pausedUntilMs: 0 };
    record.failures += 1;
    this.records.set(place, record);
    if (record.failures < this.failuresOfAnOutage || this.isAway(place)) return null;
    record.pauseMs = Math.min(Math.max(record.pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    record.pausedUntilMs = this.nowMs() + record.pauseMs;
    return record.pauseMs;
  }
}
