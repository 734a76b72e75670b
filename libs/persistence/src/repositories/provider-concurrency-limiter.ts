import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Optional } from '@nestjs/common';
import { ProviderConcurrencyLimiter } from '#domain/providers';
import { DomainError } from '#domain/system';
import { DatabaseUnavailable } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { AccountPermits, LEASE_MS, LINGER_MS, type HeldPermit } from './account-permits.js';
import { PermitLeases, type AccountScope, type LeasedPermit } from './permit-leases.js';

const MAX_WAIT_MS = 20_000;
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 250;

interface Entry {
  readonly scope: AccountScope;
  readonly slots: AccountPermits;
  isAsking: boolean;
}

/**
 * Leases permits from the database, see {@link PermitLeases}. A waiting process reserves the permit that others have held
 * longest. A lease ends here before the database lends its permit to others. The limit is exceeded only by calls in
 * flight or about to start when the process pauses, or the database is down, for longer than a lease; and when the
 * server of the database crashes, which empties the table.
 */
@Injectable()
export class SqlProviderConcurrencyLimiter extends ProviderConcurrencyLimiter {
  private readonly leases: PermitLeases;
  private readonly entries = new Map<string, Entry>();
  private isTending = false;

  constructor(
    database: Database,
    @Optional() private readonly maxWaitMs: number = MAX_WAIT_MS,
  ) {
    super();
    this.leases = new PermitLeases(database);
  }

  override async withPermit<T>(
    scope: AccountScope,
    limit: number,
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    const entry = this.entryOf(scope, limit);
    const slot = entry.slots.take(performance.now()) ?? (await this.next(entry, signal));
    try {
      return await work();
    } finally {
      entry.slots.free(slot, performance.now());
      if (slot.isWanted) void this.releaseEntries([entry]);
      void this.ask(entry);
    }
  }

  private entryOf(scope: AccountScope, limit: number): Entry {
    const key = `${scope.applicationId} ${scope.accountId} ${limit}`;
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const entry = { scope, slots: new AccountPermits(limit), isAsking: false };
    this.entries.set(key, entry);
    return entry;
  }

  /** @throws DomainError RateLimited */
  private async next(entry: Entry, signal: AbortSignal): Promise<HeldPermit> {
    if (signal.aborted) throw noneFree(signal.reason);
    const { promise, ...waiter } = Promise.withResolvers<HeldPermit>();
    const giveUp = () => {
      if (entry.slots.leave(waiter)) waiter.reject(noneFree(signal.reason));
    };
    const timer = setTimeout(giveUp, this.maxWaitMs);
    signal.addEventListener('abort', giveUp);
    entry.slots.enqueue(waiter);
    void this.ask(entry);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Requests permits while a caller lacks one. A failure rejects all waiters. */
  private async ask(entry: Entry): Promise<void> {
    if (entry.isAsking) return;
    entry.isAsking = true;
    try {
      for (let pauseMs = FIRST_PAUSE_MS; entry.slots.lacking > 0;) {
        if (await this.takeSome(entry)) {
          pauseMs = FIRST_PAUSE_MS;
        } else {
          await sleep(pauseMs * (0.5 + Math.random() / 2));
          pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
        }
      }
    } catch (error) {
      entry.slots.fail(error);
    } finally {
      entry.isAsking = false;
    }
  }

  private async takeSome({ scope, slots }: Entry): Promise<boolean> {
    const leasedAtMs = performance.now();
    const taken = await this.leases.take(scope, slots.limit, slots.lacking, slots.leaseIds);
    const nowMs = performance.now();
    slots.add(
      taken.map((lease) => ({ ...lease, leasedAtMs, idleSinceMs: nowMs, isWanted: false })),
      nowMs,
    );
    void this.maintain();
    return taken.length > 0;
  }

  private async maintain(): Promise<void> {
    if (this.isTending) return;
    this.isTending = true;
    try {
      while (this.entries.size > 0) {
        // An idle process may exit.
        await sleep(LINGER_MS, undefined, { ref: false });
        await this.renew();
        await this.notice();
        await this.releaseEntries(this.entries.values());
        for (const [key, { slots, isAsking }] of this.entries) {
          if (slots.isUnused && !isAsking) this.entries.delete(key);
        }
      }
    } finally {
      this.isTending = false;
    }
  }

  private async renew(): Promise<void> {
    const askedAtMs = performance.now();
    const due = leased(this.entries.values(), (slots) => slots.dueForRenewal(askedAtMs));
    if (due.length === 0) return;
    const held = new Map(due.map((slot) => [keyOf(slot), slot.held]));
    for (const lease of await unlessAway(this.leases.renew(due), [])) {
      const slot = held.get(keyOf(lease));
      if (slot !== undefined) Object.assign(slot, { leasedAtMs: askedAtMs, isWanted: lease.isWanted });
    }
  }

  private async notice(): Promise<void> {
    const nowMs = performance.now();
    const kept = leased(this.entries.values(), (slots) => slots.kept(nowMs));
    if (kept.length === 0) return;
    const held = new Map(kept.map((slot) => [keyOf(slot), slot.held]));
    for (const lease of await unlessAway(this.leases.lacking(kept), [])) {
      const slot = held.get(keyOf(lease));
      // A permit in use again stays.
      if (slot !== undefined && slot.idleSinceMs !== null) slot.isWanted = true;
    }
  }

  private async releaseEntries(entries: Iterable<Entry>): Promise<void> {
    const nowMs = performance.now();
    const idle = leased(entries, (slots) => slots.surrender(nowMs));
    if (idle.length > 0) await unlessAway(this.leases.release(idle), undefined);
  }
}

function leased(
  entries: Iterable<Entry>,
  select: (slots: AccountPermits) => HeldPermit[],
): (LeasedPermit & { limit: number; held: HeldPermit })[] {
  return [...entries].flatMap(({ scope, slots }) =>
    select(slots).map((held) => ({ ...scope, slot: held.slot, leaseId: held.leaseId, limit: slots.limit, held })),
  );
}

function keyOf({ slot, leaseId }: Pick<LeasedPermit, 'slot' | 'leaseId'>): string {
  return `${leaseId} ${slot}`;
}

/** Ignores a database outage: leases expire without it. */
async function unlessAway<T>(statement: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return otherwise;
    throw error;
  }
}

function noneFree(cause: unknown): DomainError {
  return new DomainError('RateLimited', 'Too many requests at once for this end user account. Try again later.', {
    retryAfterSeconds: LEASE_MS / 1_000,
    cause,
  });
}
