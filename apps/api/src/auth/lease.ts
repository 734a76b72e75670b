import type { QuotaStore } from './quota-store.js';

/** Asked for ahead: that part of what was needed lately, and at most that part of the quota. */
const PART_OF_NEED = 8;
const PART_OF_QUOTA = 20;

/** What came of asking for one request. */
export interface Taken {
  isGranted: boolean;
  /** Of the quota, as far as this process knows: others use it, too. */
  left: number;
  /** Until there is a new quota, milliseconds. */
  endsInMs: number;
}

/**
 * The part of one subject's quota that this process may give out. Parts are taken from the shared quota before they are
 * given out: all processes together never give out more than there is. What one has taken and does not need is lost when
 * the window ends, so it takes little at a time; most requests are answered from it without asking anybody.
 */
export class Lease {
  /** Taken, and not given out yet. */
  private mine = 0;
  /** Not taken by anybody when the store was last asked. */
  private free = 1;
  private endsAtMs = -Infinity;
  private given = 0;
  private givenBefore = 0;
  private waiting = 0;
  private asking: Promise<void> | undefined;

  /** @param nowMs a clock that never goes back */
  constructor(
    private readonly store: QuotaStore,
    private readonly subject: string,
    private readonly nowMs: () => number,
  ) {}

  /** One request's. @throws Error when the store does not answer */
  async take(quota: number): Promise<Taken> {
    this.beginWindow();
    while (this.mine === 0 && this.free > 0) {
      await this.askTogether(quota);
      this.beginWindow();
    }
    const endsInMs = this.endsAtMs - this.nowMs();
    if (this.mine === 0) return { isGranted: false, left: 0, endsInMs };
    this.mine -= 1;
    this.given += 1;
    return { isGranted: true, left: this.mine + this.free, endsInMs };
  }

  private async askTogether(quota: number): Promise<void> {
    this.waiting += 1;
    this.asking ??= this.ask(quota).finally(() => (this.asking = undefined));
    try {
      await this.asking;
    } finally {
      this.waiting -= 1;
    }
  }

  private async ask(quota: number): Promise<void> {
    // Everybody who comes at the same time has to be counted first.
    await Promise.resolve();
    const ahead = Math.min(Math.max(this.given, this.givenBefore) / PART_OF_NEED, quota / PART_OF_QUOTA);
    const count = Math.max(1, this.waiting, Math.floor(ahead));
    const askedAtMs = this.nowMs();
    const { used, endsInMs } = await this.store.take(this.subject, count);
    this.mine += Math.min(count, Math.max(0, quota - (used - count)));
    this.free = Math.max(0, quota - used);
    // Counted from before the store was asked: what is taken is never given out after its window.
    this.endsAtMs = askedAtMs + endsInMs;
  }

  private beginWindow(): void {
    if (this.nowMs() < this.endsAtMs || this.asking !== undefined) return;
    this.endsAtMs = Infinity;
    this.mine = 0;
    this.free = 1;
    this.givenBefore = this.given;
    this.given = 0;
  }
}
