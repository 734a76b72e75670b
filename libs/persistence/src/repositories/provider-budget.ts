import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DomainError, ProviderBudget } from '#domain';
import { isForeignKeyViolation } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { tenant } from '../database/scope.js';
import { BUDGET_WAIT, RESERVE_BUDGET } from './limits.statements.js';
import { RequestLeases } from './request-leases.js';
import { requestRate, type RequestRate } from './request-rate.js';

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
