/** Lateness must last this long before the limit falls: shorter delays are bursts or garbage collections. */
const ONSET_MS = 400;
/** Length of a window while the limit is lowered. */
const WINDOW_MS = 100;
const LEAST_BEATS = 2;
/** Fewer concurrent requests cannot be the cause of overload. */
const LEAST = 2;
/** Bounds of the factor that lowers the limit after a late window. */
const MOST_LEFT = 0.9;
const LEAST_LEFT = 0.1;
/** Relative growth of the limit per timely beat in which it was reached. */
const GAIN = 0.02;
/** The limit resets after this time without lateness or shed requests. */
const CALM_MS = 1_000;

export interface ConcurrencyLimitOptions {
  most: number;
  /** Tolerated timer lateness. */
  targetMs: number;
}

/**
 * Adapts the number of concurrent requests to the lateness of timers: waiting work delays every timer of a
 * single-threaded process. While even the smallest lateness of a window exceeds the target, the limit falls (CoDel, RFC
 * 8289 §3.1, with the event loop as the queue).
 */
export class ConcurrencyLimit {
  private limit: number;
  private leastLateMs = Infinity;
  private lateBeats = 0;
  private windowEndsAtMs = Infinity;
  /** When a timer was last late or the limit was last reached. */
  private busyAtMs = -Infinity;
  private isReached = false;

  constructor(private readonly options: ConcurrencyLimitOptions) {
    this.limit = options.most;
  }

  get current(): number {
    return this.limit;
  }

  get isLowered(): boolean {
    return this.limit < this.options.most;
  }

  noteReached(): void {
    this.isReached = true;
  }

  begin(nowMs: number): void {
    this.leastLateMs = Infinity;
    this.lateBeats = 0;
    this.windowEndsAtMs = nowMs + (this.isLowered ? WINDOW_MS : ONSET_MS);
  }

  beat(nowMs: number, lateMs: number): void {
    const isLate = lateMs > this.options.targetMs;
    if (isLate || this.isReached) this.busyAtMs = nowMs;
    if (!isLate) {
      this.rise(nowMs);
      this.begin(nowMs);
      return;
    }
    this.leastLateMs = Math.min(this.leastLateMs, lateMs);
    this.lateBeats += 1;
    if (nowMs < this.windowEndsAtMs || this.lateBeats < LEAST_BEATS) return;
    this.fall();
    this.begin(nowMs);
  }

  private rise(nowMs: number): void {
    if (nowMs - this.busyAtMs >= CALM_MS) this.limit = this.options.most;
    else if (this.isReached) this.limit = Math.min(this.options.most, this.limit + Math.max(1, this.limit * GAIN));
    this.isReached = false;
  }

  private fall(): void {
    const left = Math.min(MOST_LEFT, Math.max(LEAST_LEFT, this.options.targetMs / this.leastLateMs));
    this.limit = Math.max(LEAST, this.limit * left);
  }
}
