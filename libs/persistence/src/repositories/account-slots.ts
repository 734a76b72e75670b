/** How long the database keeps a slot for a process. */
export const LEASE_MS = 5_000;
/** How long the process believes it, from before it asked: its clock and the database's may run apart by a tenth. */
const USABLE_MS = 0.9 * LEASE_MS;
/** A slot in use is renewed this often: the answer tells whether others wait for it. */
const RENEWAL_MS = 1_000;
/** For so long after its last use a slot is nobody else's: the calls of one operation follow each other closely. */
export const LINGER_MS = 100;
/** How long it is kept then, as long as others do not lack one: an account that is asked for something is asked for more. */
export const KEPT_MS = 2_000;

/** A slot that this process holds. Times are milliseconds of a clock that never goes back. */
export interface HeldSlot {
  readonly slot: number;
  readonly leaseId: string;
  /** When the lease was last asked for. */
  leasedAtMs: number;
  /** null: it is in use. */
  idleSinceMs: number | null;
  /** Another process waits for it, or could have to. */
  isWanted: boolean;
}

/** Somebody in this process who needs a slot. */
export interface Waiter {
  resolve(slot: HeldSlot): void;
  reject(error: unknown): void;
}

/** What this process holds of one account's slots, and who waits for one: first come, first served. */
export class AccountSlots {
  private readonly held = new Set<HeldSlot>();
  private readonly waiters = new Set<Waiter>();

  constructor(readonly limit: number) {}

  /** How many more would be used at once. */
  get lacking(): number {
    return Math.min(this.waiters.size, this.limit - this.held.size);
  }

  get isUnused(): boolean {
    return this.held.size === 0 && this.waiters.size === 0;
  }

  get leaseIds(): string[] {
    return [...this.held].map(({ leaseId }) => leaseId);
  }

  /** Begins to use a slot that is idle. null: there is none. */
  take(nowMs: number): HeldSlot | null {
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

  /** False when it waits no more. */
  leave(waiter: Waiter): boolean {
    return this.waiters.delete(waiter);
  }

  /** None of those who wait gets a slot. */
  fail(error: unknown): void {
    for (const waiter of this.waiters) waiter.reject(error);
    this.waiters.clear();
  }

  add(slots: readonly HeldSlot[], nowMs: number): void {
    for (const slot of slots) {
      this.held.add(slot);
      this.free(slot, nowMs);
    }
  }

  /** A slot is in use no more: who has waited longest goes on with it, unless it is over or wanted elsewhere. */
  free(slot: HeldSlot, nowMs: number): void {
    slot.idleSinceMs = nowMs;
    const [next] = this.waiters;
    if (isOver(slot, nowMs)) this.held.delete(slot);
    else if (next !== undefined && !slot.isWanted) {
      this.waiters.delete(next);
      next.resolve(use(slot));
    }
  }

  /** Slots that are to be asked for again. */
  dueForRenewal(nowMs: number): HeldSlot[] {
    return [...this.held].filter((slot) => !isOver(slot, nowMs) && nowMs - slot.leasedAtMs >= RENEWAL_MS);
  }

  /** Idle slots that are kept only as long as others do not lack one. */
  kept(nowMs: number): HeldSlot[] {
    return [...this.held].filter((slot) => idleMs(slot, nowMs) >= LINGER_MS && !slot.isWanted && !isOver(slot, nowMs));
  }

  /** Takes out what is idle for good or wanted elsewhere. @returns what is to be given back: its lease is not over */
  surrender(nowMs: number): HeldSlot[] {
    const idle = [...this.held].filter(
      (slot) => slot.idleSinceMs !== null && (slot.isWanted || idleMs(slot, nowMs) >= KEPT_MS),
    );
    for (const slot of idle) this.held.delete(slot);
    return idle.filter((slot) => !isOver(slot, nowMs));
  }
}

/** Below 0 for one that is in use. */
function idleMs({ idleSinceMs }: HeldSlot, nowMs: number): number {
  return idleSinceMs === null ? -1 : nowMs - idleSinceMs;
}

function isOver({ leasedAtMs }: HeldSlot, nowMs: number): boolean {
  return nowMs - leasedAtMs >= USABLE_MS;
}

function use(slot: HeldSlot): HeldSlot {
  slot.idleSinceMs = null;
  return slot;
}
