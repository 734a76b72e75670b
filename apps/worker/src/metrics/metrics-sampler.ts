import { withDeadline } from '#platform/deadline';

/** Minimum interval of samples, and minimum ratio of the interval to the duration of a sample. */
const EVERY_MS = 15_000;
const TIMES_ITS_OWN = 50;
const TIMEOUT_MS = 2_000;
/** Overdue time after which the last sample is discarded. */
const LATE_MS = 45_000;

export interface MetricsSamplerOptions {
  count: () => Promise<void>;
  clear: () => void;
  failed: (error: unknown) => void;
  nowMs: () => number;
  timeoutMs?: number;
}

/** Samples metrics from another system: rarely, one sample at a time, and within the time of a scrape. */
export class MetricsSampler {
  private counting: Promise<void> | undefined;
  private dueAtMs = Number.NEGATIVE_INFINITY;
  private knownUntilMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: MetricsSamplerOptions) {}

  get isKnown(): boolean {
    return this.options.nowMs() < this.knownUntilMs;
  }

  async refresh(): Promise<void> {
    const { clear, nowMs, timeoutMs = TIMEOUT_MS } = this.options;
    if (nowMs() >= this.dueAtMs) this.counting ??= this.count();
    if (this.counting !== undefined) await withDeadline(this.counting, timeoutMs, () => undefined);
    if (!this.isKnown) clear();
  }

  private async count(): Promise<void> {
    const { count, failed, nowMs } = this.options;
    const startedMs = nowMs();
    const error = await count().then(
      () => null,
      (reason: unknown) => ({ reason }),
    );
    this.dueAtMs = startedMs + Math.max(EVERY_MS, (nowMs() - startedMs) * TIMES_ITS_OWN);
    this.knownUntilMs = error === null ? this.dueAtMs + LATE_MS : Number.NEGATIVE_INFINITY;
    this.counting = undefined;
    if (error !== null) failed(error.reason);
  }
}
