import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ProviderRateLimiter } from '#domain/providers';
import { DomainError } from '#domain/system';
import { DatabaseUnavailable, foreignKeyAsNotFound } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { tenant } from '../database/scope.js';
import { CORRECT_RATE, MAX_RETRY_MS, RATE_WAIT, REFUSE_OPERATION, RESERVE_RATE } from './limits.statements.js';

const MAX_WAIT_MS = 20_000;
/** Wait of an operation that a caller waits for. */
const MAX_OPERATION_WAIT_MS = 3_000;

type AccountScope = { applicationId: string; accountId: string };

/** GCRA in one row per account, on the clock of the database: exact over all replicas. */
@Injectable()
export class SqlProviderRateLimiter extends ProviderRateLimiter {
  private readonly leases = new RequestReservations();

  constructor(private readonly database: Database) {
    super();
  }

  override async take(scope: AccountScope, requestsPerMinute: number, signal: AbortSignal): Promise<void> {
    const rate = requestRate(requestsPerMinute);
    const waitMs = await this.takeOne(scope, rate, MAX_WAIT_MS);
    if (waitMs === null) throw tooFarOff(await this.waitFor(scope, rate));
    // After the deadline of the caller the reservation stays: no other caller could use it in time.
    await this.wait(waitMs, signal);
  }

  override async admit(
    scope: AccountScope,
    requestsPerMinute: number,
    { requests, isBackground }: { requests: number; isBackground: boolean },
    signal: AbortSignal,
  ): Promise<number> {
    const rate = requestRate(requestsPerMinute);
    const size = Math.min(requests, rate.burst);
    const waitMs = await this.turnOf(scope, rate, size, isBackground);
    if (waitMs === null) throw tooFarOff(await this.reject(scope, rate, size));
    try {
      await this.wait(waitMs, signal);
    } catch (error) {
      await this.correct(scope, requestsPerMinute, -size);
      throw error;
    }
    return size;
  }

  private turnOf(scope: AccountScope, rate: RequestRate, size: number, isBackground: boolean): Promise<number | null> {
    if (!isBackground && size === 1) return this.takeOne(scope, rate, MAX_OPERATION_WAIT_MS);
    if (!isBackground) return this.reserve(scope, rate, size, MAX_OPERATION_WAIT_MS);
    // Background work leaves half of the burst to callers.
    const burst = Math.max(size, Math.floor(rate.burst / 2));
    return this.reserve(scope, { ...rate, burst }, size, MAX_WAIT_MS);
  }

  /** Takes one request, from those that were counted in advance if possible. Returns the wait as {@link reserve}. */
  private async takeOne(scope: AccountScope, rate: RequestRate, maxWaitMs: number): Promise<number | null> {
    const account = `${scope.applicationId} ${scope.accountId}`;
    if (this.leases.take(account, performance.now())) return 0;
    const countedAtMs = performance.now();
    const size = Math.min(this.leases.nextSize(account, countedAtMs), rate.burst);
    if (size > 1) {
      if ((await this.reserve(scope, rate, size, 0)) !== null) {
        this.leases.open(account, size, countedAtMs);
        return 0;
      }
      this.leases.close(account);
    }
    const waitMs = await this.reserve(scope, rate, 1, maxWaitMs);
    if (waitMs === 0) this.leases.open(account, 1, countedAtMs);
    else this.leases.close(account);
    return waitMs;
  }

  /** @throws DomainError RateLimited when the deadline of the caller ends first */
  private async wait(waitMs: number, signal: AbortSignal): Promise<void> {
    if (waitMs === 0) return;
    try {
      await sleep(waitMs, undefined, { signal });
    } catch (cause) {
      throw tooFarOff(waitMs, cause);
    }
  }

  override async correct(scope: AccountScope, requestsPerMinute: number, requests: number): Promise<void> {
    const { intervalMs } = requestRate(requestsPerMinute);
    const { applicationId, accountId } = scope;
    const correct = () =>
      this.database.write(tenant(applicationId), {
        text: CORRECT_RATE,
        values: [applicationId, accountId, requests * intervalMs],
      });
    try {
      await this.database.detached(correct);
    } catch (error) {
      // The result of the operation counts more. The next requests meet the same database.
      if (!(error instanceof DatabaseUnavailable)) throw error;
    }
  }

  /** Returns the wait in ms until the place of a rejected operation. */
  private async reject(
    { applicationId, accountId }: AccountScope,
    { intervalMs, burst }: RequestRate,
    size: number,
  ): Promise<number> {
    const reserve = () =>
      this.database.write<{ wait_ms: number }>(tenant(applicationId), {
        text: REFUSE_OPERATION,
        values: [applicationId, accountId, size * intervalMs, burst * intervalMs],
      });
    const { rows } = await this.database.detached(reserve);
    return Math.min(Math.max(0, rows[0]?.wait_ms ?? 0), MAX_RETRY_MS);
  }

  /** Returns the wait in ms, for the last of `size` requests; null, counting none, when it exceeds `maxWaitMs`. */
  private async reserve(
    { applicationId, accountId }: AccountScope,
    { intervalMs, burst }: RequestRate,
    size: number,
    maxWaitMs: number,
  ): Promise<number | null> {
    // Outside a transaction of the caller, which would lock the row until its end.
    const reserve = () =>
      // A retry may count twice: counting too much is better than failing the request.
      this.database.writeRepeatable<{ wait_ms: number }>(tenant(applicationId), {
        ...RESERVE_RATE,
        values: [applicationId, accountId, size * intervalMs, burst * intervalMs, maxWaitMs],
      });
    const { rows } = await foreignKeyAsNotFound(() => this.database.detached(reserve));
    return rows[0] === undefined ? null : Math.max(0, rows[0].wait_ms);
  }

  private async waitFor({ applicationId, accountId }: AccountScope, rate: RequestRate): Promise<number> {
    const [row] = await this.database.detached(() =>
      this.database.read<{ wait_ms: number }>(tenant(applicationId), {
        text: RATE_WAIT,
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

const MAX_RESERVATION = 8;

interface Reservation {
  left: number;
  size: number;
  expiresAtMs: number;
}

/**
 * Requests counted in advance. The size doubles while they are used up in time, else restarts at one: a busy account
 * costs few round trips, a quiet one wastes nothing.
 */
export class RequestReservations {
  private readonly leases = new LRUCache<string, Reservation>({ max: 10_000 });

  take(account: string, nowMs: number): boolean {
    const lease = this.leases.get(account);
    if (lease === undefined || lease.left === 0 || nowMs >= lease.expiresAtMs) return false;
    lease.left -= 1;
    return true;
  }

  nextSize(account: string, nowMs: number): number {
    const lease = this.leases.get(account);
    const usedUp = lease !== undefined && lease.left === 0 && nowMs < lease.expiresAtMs;
    return usedUp ? Math.min(lease.size * 2, MAX_RESERVATION) : 1;
  }

  /** `size` requests were counted at `countedAtMs`; the first of them is being sent. */
  open(account: string, size: number, countedAtMs: number): void {
    const current = this.leases.get(account);
    if (current !== undefined && current.left > 0 && countedAtMs < current.expiresAtMs) {
      // Two callers met an empty reservation at once. The earlier expiry applies to both: no request is sent too late.
      current.left += size - 1;
      return;
    }
    this.leases.set(account, { left: size - 1, size, expiresAtMs: countedAtMs + LEASE_MS });
  }

  /** The account has no capacity to spare: restarts at one request. The rest of a reservation stays usable. */
  close(account: string): void {
    const lease = this.leases.get(account);
    if (lease !== undefined && lease.left === 0) this.leases.delete(account);
  }
}

export const LEASE_MS = 2_000;
/** Share of `requestsPerMinute` that may be sent at once after a pause. */
const BURST_SHARE = 0.25;
const WINDOW_MS = 60_000;

/** GCRA parameters (ITU-T I.371): one request every `intervalMs`, up to `burst` at once. */
export interface RequestRate {
  intervalMs: number;
  burst: number;
}

/**
 * GCRA allows `burst + window / interval` in any window. A reserved request is sent up to {@link LEASE_MS} after it was
 * counted, so the window is a minute plus that. No minute ever exceeds `requestsPerMinute` over all replicas.
 */
export function requestRate(requestsPerMinute: number): RequestRate {
  if (!(requestsPerMinute >= 1)) throw new RangeError('requestsPerMinute must be 1 or more');
  const burst = Math.max(1, Math.floor(requestsPerMinute * BURST_SHARE));
  const sustained = Math.max(1, requestsPerMinute - burst);
  return { intervalMs: (WINDOW_MS + LEASE_MS) / sustained, burst };
}
