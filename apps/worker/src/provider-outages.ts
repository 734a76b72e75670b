import type { ProviderType } from '#domain';

/** Failures in a row, over all accounts of a provider, that no single account or server explains. */
const FAILURES_OF_AN_OUTAGE = 20;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

interface Outage {
  failures: number;
  pauseMs: number;
  pausedUntilMs: number;
}

/** Which providers are away: their accounts are left alone for a while, longer each time. */
export class ProviderOutages {
  private readonly records = new Map<ProviderType, Outage>();

  constructor(private readonly nowMs: () => number) {}

  isAway(providerType: ProviderType): boolean {
    return (this.records.get(providerType)?.pausedUntilMs ?? Number.NEGATIVE_INFINITY) > this.nowMs();
  }

  noteAnswer(providerType: ProviderType): void {
    this.records.delete(providerType);
  }

  /** @returns for how long the provider is left alone from now on, milliseconds; null: it is not */
  noteFailure(providerType: ProviderType): number | null {
    const record = this.records.get(providerType) ?? { failures: 0, pauseMs: 0, pausedUntilMs: 0 };
    record.failures += 1;
    this.records.set(providerType, record);
    if (record.failures < FAILURES_OF_AN_OUTAGE || this.isAway(providerType)) return null;
    record.pauseMs = Math.min(Math.max(record.pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    record.pausedUntilMs = this.nowMs() + record.pauseMs;
    return record.pauseMs;
  }
}
