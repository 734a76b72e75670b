export const LEASE_MS = 5_000;
/** Counted from before the request: the clocks of process and database may differ by a tenth. */
const USABLE_MS = 0.9 * LEASE_MS;
/** A permit in use is renewed this often. The result says whether other processes wait for it. */
const RENEWAL_MS = 1_000;
/** After its last use, a permit is reserved this long: the calls of one operation follow each other closely. */
export const LINGER_MS = 100;
/** An idle permit is kept this long unless others lack one: an account that is in use tends to be used again. */
export const KEPT_MS = 2_000;

/** Times are milliseconds of a monotonic clock. */
export interface HeldPermit {
  readonly slot: number;
  readonly leaseId: string;
  leasedAtMs: number;
  /** null while in use. */
  idleSinceMs: number | null;
  /** Another process waits for this permit, or may have to. */
  isWanted: boolean;
}

export interface Waiter {
  resolve(slot: HeldPermit): void;
  reject(error: unknown): void;
}

export class AccountPermits {
  private readonly held = new Set<HeldPermit>();
  private readonly waiters = new Set<Waiter>();

  constructor(readonly limit: number) {}

  /** How many more permits could be used now. */
  get lacking(): number {
    return Math.min(this.waiters.size, this.limit - this.held.size);
  }

  get isUnused(): boolean {
    return this.held.size === 0 && this.waiters.size === 0;
  }

  get leaseIds(): string[] {
    return [...this.held].map(({ leaseId }) => leaseId);
  }

  /** Returns null when no permit is idle. */
  take(nowMs: number): HeldPermit | null {
    for (const slot of this.held) {
      if (slot.idleSinceMs === null || slot.isWanted) continue;
      if (isOver(slot, nowMs)) this.held.delete(slot);
      else return use(slot);
    }
    return null;
  }

  enqueue(waiter: Waiter): void {
    this.waiters.add(waiter);
  }

  leave(waiter: Waiter): boolean {
    return this.waiters.delete(waiter);
  }

  fail(error: unknown): void {
    for (const waiter of this.waiters) waiter.reject(error);
    this.waiters.clear();
  }

  add(slots: readonly HeldPermit[], nowMs: number): void {
    for (const slot of slots) {
      this.held.add(slot);
      this.free(slot, nowMs);
    }
  }

  /** Ends the use of a permit and passes it to the first waiter, unless its lease has ended or others want it. */
  free(slot: HeldPermit, nowMs: number): void {
    slot.idleSinceMs = nowMs;
    const [next] = this.waiters;
    if (isOver(slot, nowMs)) this.held.delete(slot);
    else if (next !== undefined && !slot.isWanted) {
      this.waiters.delete(next);
      next.resolve(use(slot));
    }
  }

  dueForRenewal(nowMs: number): HeldPermit[] {
    return [...this.held].filter((slot) => !isOver(slot, nowMs) && nowMs - slot.leasedAtMs >= RENEWAL_MS);
  }

  /** Idle permits that are kept only while other processes lack none. */
  kept(nowMs: number): HeldPermit[] {
    return [...this.held].filter((slot) => idleMs(slot, nowMs) >= LINGER_MS && !slot.isWanted && !isOver(slot, nowMs));
  }

  /** Removes permits that are idle for good or wanted elsewhere. @returns those to give back: their lease still runs */
  surrender(nowMs: number): HeldPermit[] {
    const idle = [...this.held].filter(
      (slot) => slot.idleSinceMs !== null && (slot.isWanted || idleMs(slot, nowMs) >= KEPT_MS),
    );
    for (const slot of idle) this.held.delete(slot);
    return idle.filter((slot) => !isOver(slot, nowMs));
  }
}

function idleMs({ idleSinceMs }: HeldPermit, nowMs: number): number {
  return idleSinceMs === null ? -1 : nowMs - idleSinceMs;
}

function isOver({ leasedAtMs }: HeldPermit, nowMs: number): boolean {
  return nowMs - leasedAtMs >= USABLE_MS;
}

function use(slot: HeldPermit): HeldPermit {
  slot.idleSinceMs = null;
  return slot;
}
