import { withDeadline } from '#platform/deadline';

/** Between two counts: at least this, and so long that counting is no more than a fiftieth of the time. */
const EVERY_MS = 15_000;
const TIMES_ITS_OWN = 50;
/** A scrape waits no longer for a count. */
const PATIENCE_MS = 2_000;
/** How much later than it is due a count may come before the last one says nothing any more, milliseconds. */
const LATE_MS = 45_000;

export interface CountedOptions {
  /** Counts, and shows what it found. */
  count: () => Promise<void>;
  /** Shows that nothing is known. */
  forget: () => void;
  failed: (error: unknown) => void;
  nowMs: () => number;
  patienceMs?: number;
}

/** What has to be counted somewhere else: seldom, once at a time, and never for longer than a scrape can wait. */
export class Counted {
  private counting: Promise<void> | undefined;
  private dueAtMs = Number.NEGATIVE_INFINITY;
  private knownUntilMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: CountedOptions) {}

  /** Whether what is shown is what there is, or was a moment ago. */
  get isKnown(): boolean {
    return this.options.nowMs() < this.knownUntilMs;
  }

  /** Never throws. */
  async refresh(): Promise<void> {
    const { forget, nowMs, patienceMs = PATIENCE_MS } = this.options;
    if (nowMs() >= this.dueAtMs) this.counting ??= this.count();
    if (this.counting !== undefined) await withDeadline(this.counting, patienceMs, () => undefined);
    if (!this.isKnown) forget();
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
