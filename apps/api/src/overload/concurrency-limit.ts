/** Lateness has to stand for this long before anybody is kept out: what is over sooner is a burst, or a collection of garbage. */
const ONSET_MS = 400;
/** Once somebody is, it is judged over this long. */
const WINDOW_MS = 100;
/** Of every window. */
const LEAST_BEATS = 2;
/** Fewer at a time than this are not what keeps a process busy. */
const LEAST = 2;
/** What is left of the limit after a window in which the process was late: nearer to one the less late it was. */
const MOST_LEFT = 0.9;
const LEAST_LEFT = 0.1;
/** What the limit gains in each beat that was on time while it kept requests out. */
const GAIN = 0.02;
/** On time for this long, and nobody kept out: whatever it was is over. */
const CALM_MS = 1_000;

export interface ConcurrencyLimitOptions {
  /** Never more requests at a time than this. */
  most: number;
  /** Lateness, milliseconds, that may stand for longer than a window. */
  targetMs: number;
}

/**
 * How many requests a process should answer at a time, learned from how late its timers are. Work that waits in a process
 * of one thread makes all of its timers late: as long as the least late one of a window is later than the target, there
 * is more work than the process can do, and the limit falls (CoDel, RFC 8289 §3.1, over the event loop in place of a queue).
 * It rises again as soon as timers are on time.
 */
export class ConcurrencyLimit {
  private limit: number;
  /** Of the beats since the window began, all of which were late. */
  private leastLateMs = Infinity;
  private lateBeats = 0;
  private windowEndsAtMs = Infinity;
  /** When it was last late, or kept somebody out. */
  private busyAtMs = -Infinity;
  private isReached = false;

  constructor(private readonly options: ConcurrencyLimitOptions) {
    this.limit = options.most;
  }

  /** Requests at a time. */
  get current(): number {
    return this.limit;
  }

  /** Whether the process was late, not long ago. */
  get isLowered(): boolean {
    return this.limit < this.options.most;
  }

  /** Somebody was kept out. */
  noteReached(): void {
    this.isReached = true;
  }

  /** Beats follow. */
  begin(nowMs: number): void {
    this.leastLateMs = Infinity;
    this.lateBeats = 0;
    this.windowEndsAtMs = nowMs + (this.isLowered ? WINDOW_MS : ONSET_MS);
  }

  /** A timer has run. @param lateMs by how much it was late */
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
