const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 5 * 60_000;

interface Outage {
  failures: number;
  pauseMs: number;
  pausedUntilMs: number;
}

/** Tracks outages of providers or servers ("places"). Each further outage of a place doubles its pause. */
export class OutageTracker {
  private readonly records = new Map<string, Outage>();

  /** @param failuresOfAnOutage consecutive failures at a place that start a pause */
  constructor(
    private readonly failuresOfAnOutage: number,
    private readonly nowMs: () => number,
  ) {}

  isDown(place: string): boolean {
    return (this.records.get(place)?.pausedUntilMs ?? Number.NEGATIVE_INFINITY) > this.nowMs();
  }

  recordRecovery(place: string): void {
    this.records.delete(place);
  }

  /** @returns length of the pause that starts now, milliseconds; null when none starts */
  recordFailure(place: string): number | null {
    const record = this.records.get(place) ?? { failures: 0, pauseMs: 0, pausedUntilMs: 0 };
    record.failures += 1;
    this.records.set(place, record);
    if (record.failures < this.failuresOfAnOutage || this.isDown(place)) return null;
    record.pauseMs = Math.min(Math.max(record.pauseMs * 2, FIRST_PAUSE_MS), MAX_PAUSE_MS);
    record.pausedUntilMs = this.nowMs() + record.pauseMs;
    return record.pauseMs;
  }
}
