/** Lateness must last this long before the limit falls: shorter delays are bursts or garbage collections. */
const ONSET_MS = 400;
/** Length of a window while the limit is lowered. */
const WINDOW_MS = 100;
const MIN_LATE_TICKS = 2;
/** Fewer concurrent requests cannot be the cause of overload. */
const MIN_LIMIT = 2;
/** Bounds of the factor that lowers the limit after a late window. */
const MAX_FACTOR = 0.9;
const MIN_FACTOR = 0.1;
/** Relative growth of the limit per timely tick in which it was reached. */
const GAIN = 0.02;
/** The limit resets after this time without lateness or shed requests. */
const CALM_MS = 1_000;

export interface AdaptiveConcurrencyLimitOptions {
  most: number;
  /** Tolerated timer lateness. */
  targetMs: number;
}

/**
 * Adapts the number of concurrent requests to the lateness of timers: waiting work delays every timer of a
 * single-threaded process. While even the smallest lateness of a window exceeds the target, the limit falls (CoDel, RFC
 * 8289 §3.1, with the event loop as the queue).
 */
export class AdaptiveConcurrencyLimit {
  private limit: number;
  private minLateMs = Infinity;
  private lateTicks = 0;
  private windowEndsAtMs = Infinity;
  /** When a timer was last late or the limit was last reached. */
  private busyAtMs = -Infinity;
  private isReached = false;

  constructor(private readonly options: AdaptiveConcurrencyLimitOptions) {
    this.limit = options.most;
  }

  get current(): number {
    return this.limit;
  }

  get isLowered(): boolean {
    return this.limit < this.options.most;
  }

  recordReached(): void {
    this.isReached = true;
  }

  begin(nowMs: number): void {
    this.minLateMs = Infinity;
    this.lateTicks = 0;
    this.windowEndsAtMs = nowMs + (this.isLowered ? WINDOW_MS : ONSET_MS);
  }

  tick(nowMs: number, lateMs: number): void {
    const isLate = lateMs > this.options.targetMs;
    if (isLate || this.isReached) this.busyAtMs = nowMs;
    if (!isLate) {
      this.rise(nowMs);
      this.begin(nowMs);
      return;
    }
    this.minLateMs = Math.min(this.minLateMs, lateMs);
    this.lateTicks += 1;
    if (nowMs < this.windowEndsAtMs || this.lateTicks < MIN_LATE_TICKS) return;
    this.fall();
    this.begin(nowMs);
  }

  private rise(nowMs: number): void {
    if (nowMs - this.busyAtMs >= CALM_MS) this.limit = this.options.most;
    else if (this.isReached) this.limit = Math.min(this.options.most, this.limit + Math.max(1, this.limit * GAIN));
    this.isReached = false;
  }

  private fall(): void {
    const left = Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, this.options.targetMs / this.minLateMs));
    this.limit = Math.max(MIN_LIMIT, this.limit * left);
  }
}
