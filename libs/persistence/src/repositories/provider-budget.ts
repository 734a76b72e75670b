import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DomainError, ProviderBudget } from '#domain';
import { isForeignKeyViolation } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { tenant } from '../database/scope.js';
import { BUDGET_WAIT, RESERVE_BUDGET } from './limits.statements.js';

/** A caller is not kept waiting longer than this; it is told when to come back instead. */
const MAX_WAIT_MS = 20_000;

type AccountScope = { applicationId: string; accountId: string };

/**
 * GCRA in one row per account, moved by one statement, on the database's clock: exact over all replicas. A process
 * takes small leases when the account is in no hurry, see {@link RequestLeases}.
 */
@Injectable()
export class SqlProviderBudget extends ProviderBudget {
  private readonly leases = new RequestLeases();

  constructor(private readonly database: Database) {
    super();
  }

  override async take(scope: AccountScope, requestsPerMinute: number, signal: AbortSignal): Promise<void> {
    const account = `${scope.applicationId} ${scope.accountId}`;
    if (this.leases.take(account, performance.now())) return;

    const rate = requestRate(requestsPerMinute);
    const countedAtMs = performance.now();
    const size = Math.min(this.leases.nextSize(account, countedAtMs), rate.burst);
    if (size > 1) {
      if ((await this.reserve(scope, rate, size, 0)) !== null) {
        this.leases.open(account, size, countedAtMs);
        return;
      }
      this.leases.close(account);
    }
    const waitMs = await this.reserve(scope, rate, 1, MAX_WAIT_MS);
    if (waitMs === 0) {
      this.leases.open(account, 1, countedAtMs);
      return;
    }
    this.leases.close(account);
    if (waitMs === null) throw tooFarOff(await this.waitFor(scope, rate));
    try {
      await sleep(waitMs, undefined, { signal });
    } catch (cause) {
      // The caller's deadline came first. Its place in the row stays taken: nobody else could be told in time.
      throw tooFarOff(waitMs, cause);
    }
  }

  /**
   * Counts `size` requests if the last of them may go within `maxWaitMs`.
   * @returns how long to wait, 0 for not at all; null when that would be too long
   */
  private async reserve(
    { applicationId, accountId }: AccountScope,
    { intervalMs, burst }: RequestRate,
    size: number,
    maxWaitMs: number,
  ): Promise<number | null> {
    // Not part of a transaction of the caller: the row would stay locked for all others until its end.
    return this.database.detached(async () => {
      try {
        // Sent twice it may count twice: too much is better than a request that is refused.
        const { rows } = await this.database.writeRepeatable<{ wait_ms: number }>(tenant(applicationId), {
          ...RESERVE_BUDGET,
          values: [applicationId, accountId, size * intervalMs, burst * intervalMs, maxWaitMs],
        });
        const [row] = rows;
        return row === undefined ? null : Math.max(0, row.wait_ms);
      } catch (error) {
        if (isForeignKeyViolation(error)) throw new DomainError('NotFound', 'There is no application with this id.');
        throw error;
      }
    });
  }

  private async waitFor({ applicationId, accountId }: AccountScope, rate: RequestRate): Promise<number> {
    const [row] = await this.database.detached(() =>
      this.database.read<{ wait_ms: number }>(tenant(applicationId), {
        text: BUDGET_WAIT,
        values: [applicationId, accountId, rate.intervalMs, rate.burst * rate.intervalMs],
      }),
    );
    return Math.max(0, row?.wait_ms ?? 0);
  }
}

function tooFarOff(waitMs: number, cause?: unknown): DomainError {
  return new DomainError('RateLimited', 'Too many requests for this end user account. Try again later.', {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
    ...(cause === undefined ? {} : { cause }),
  });
}

const LARGEST_LEASE = 8;

interface Lease {
  left: number;
  size: number;
  expiresAtMs: number;
}

/**
 * Requests that this process has already counted for an account and not yet sent. The size doubles while leases are
 * used up in time and starts over when one was not: a busy account costs few round trips, a quiet one wastes nothing.
 */
export class RequestLeases {
  private readonly leases = new LRUCache<string, Lease>({ max: 10_000 });

  /** Takes one; false when there is none. */
  take(account: string, nowMs: number): boolean {
    const lease = this.leases.get(account);
    if (lease === undefined || lease.left === 0 || nowMs >= lease.expiresAtMs) return false;
    lease.left -= 1;
    return true;
  }

  /** How many to count next. */
  nextSize(account: string, nowMs: number): number {
    const lease = this.leases.get(account);
    const usedUp = lease !== undefined && lease.left === 0 && nowMs < lease.expiresAtMs;
    return usedUp ? Math.min(lease.size * 2, LARGEST_LEASE) : 1;
  }

  /** `size` have been counted at `countedAtMs`, of which the first is being sent. */
  open(account: string, size: number, countedAtMs: number): void {
    const current = this.leases.get(account);
    if (current !== undefined && current.left > 0 && countedAtMs < current.expiresAtMs) {
      // Two takers met an empty lease at once. The earlier expiry holds for both: no request is sent too late.
      current.left += size - 1;
      return;
    }
    this.leases.set(account, { left: size - 1, size, expiresAtMs: countedAtMs + LEASE_MS });
  }

  /** The account has no requests to spare: take them one by one again. What is left of a lease stays usable. */
  close(account: string): void {
    const lease = this.leases.get(account);
    if (lease !== undefined && lease.left === 0) this.leases.delete(account);
  }
}

/** How long a process may use a lease; what is left of it then is lost. */
export const LEASE_MS = 2_000;
/** Share of a minute's requests that may go at once after a pause. */
const BURST_SHARE = 0.25;
const WINDOW_MS = 60_000;

/** GCRA parameters (ITU-T I.371): one request every `intervalMs`, up to `burst` of them at once. */
export interface RequestRate {
  intervalMs: number;
  burst: number;
}

/**
 * GCRA lets through at most `burst + window / interval` in any window. A leased request is sent up to {@link LEASE_MS}
 * after it was counted, so what is sent in a minute was counted in a minute plus that. Both are chosen such that the
 * sum over all replicas never exceeds `requestsPerMinute` in any minute; after a pause the first minute gets all of it.
 */
export function requestRate(requestsPerMinute: number): RequestRate {
  if (!(requestsPerMinute >= 1)) throw new RangeError('requestsPerMinute must be 1 or more');
  const burst = Math.max(1, Math.floor(requestsPerMinute * BURST_SHARE));
  const sustained = Math.max(1, requestsPerMinute - burst);
  return { intervalMs: (WINDOW_MS + LEASE_MS) / sustained, burst };
}
