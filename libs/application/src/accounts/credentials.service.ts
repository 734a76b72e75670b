import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import {
  AccountRepository,
  CredentialRepository,
  isGrant,
  type EndUserAccount,
  type StoredCredential,
  type StoredGrant,
} from '#domain/accounts';
import { TOKEN_TIMEOUT_MS } from '#domain/oauth';
import { Clock, DomainError, isTransient, noSuchAccount, Timer } from '#domain/system';
import { unlessAborted } from '#platform/deadline';
import { accountExpired } from './account-expiry.js';
import { TokenRefresh } from './token-refresh.js';

/** Minimum remaining life of an access token that {@link CredentialsService.getFresh} returns. */
const MIN_LIFETIME_MS = 5 * 60_000;
const MAX_ROUNDS = 3;
/** Length of the refresh lease, milliseconds. Another process takes over when it ends. */
const REFRESH_LEASE_MS = 20_000;
/** Random poll interval of callers that wait for a refresh, milliseconds. */
const POLL_MS = { min: 25, max: 50 };
/** Polls between two tries to acquire the lease, in case its holder died. */
const POLLS_PER_TRY = 8;
const FIRST_DELAY_S = 1;
const MAX_DELAY_S = 30;
const CROWDED = 10_000;

/** Provides usable credentials. Refreshes an access token once for all concurrent callers and processes. */
@Injectable()
export class CredentialsService implements BeforeApplicationShutdown {
  private readonly flights = new Map<string, Promise<StoredCredential>>();
  private readonly leases: RefreshLeases;
  private readonly backoff: RefreshBackoff;

  constructor(
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly tokens: TokenRefresh,
    timer: Timer,
    private readonly clock: Clock,
  ) {
    this.leases = new RefreshLeases(credentials, timer);
    this.backoff = new RefreshBackoff(clock);
  }

  /**
   * Refreshes an access token that lives shorter than five minutes.
   * @param read credentials of the account, when they were just read
   * @throws DomainError NotFound, EndUserAccountExpired, ProviderUnavailable, ProviderTimeout, ProviderRateLimited
   *   (with `retryAfterSeconds`), and the signal's reason
   */
  async getFresh(account: EndUserAccount, signal: AbortSignal, read?: StoredCredential): Promise<StoredCredential> {
    const stored = read ?? (await this.credentials.get(account, account.id));
    return isGrant(stored) && !this.lives(stored, MIN_LIFETIME_MS) ? this.refresh(account, stored, signal) : stored;
  }

  /** Returns credentials newer than `stale`. @throws DomainError as {@link getFresh} */
  async refresh(account: EndUserAccount, stale: StoredGrant, signal: AbortSignal): Promise<StoredCredential> {
    signal.throwIfAborted();
    const key = `${account.id} ${stale.rowVersion}`;
    let flight = this.flights.get(key);
    if (flight === undefined) {
      flight = this.replaced(account, stale).finally(() => this.flights.delete(key));
      this.flights.set(key, flight);
    }
    return unlessAborted(flight, signal);
  }

  /**
   * Returns the next credentials after a rejected access token. Refreshes once per attempt, begun at `sinceMs` (epoch).
   * @throws DomainError as {@link getFresh}
   */
  async refreshAfterRejection(
    account: EndUserAccount,
    rejected: StoredGrant,
    sinceMs: number,
    signal: AbortSignal,
  ): Promise<StoredCredential> {
    const isOfThisAttempt = rejected.updatedAt.getTime() >= sinceMs;
    return isOfThisAttempt ? this.credentials.get(account, account.id) : this.refresh(account, rejected, signal);
  }

  /** Waits for running refreshes: their response may carry the only valid refresh token. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.flights.values());
  }

  private async replaced(account: EndUserAccount, stale: StoredGrant): Promise<StoredCredential> {
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      const refreshed = await this.refreshed(account, stale);
      if (refreshed !== null) return refreshed;
      const stored = await this.credentials.get(account, account.id);
      if (!isGrant(stored) || this.lives(stored, 0)) return stored;
      stale = stored;
    }
    throw new DomainError('ProviderUnavailable', 'The credentials of this account are being replaced.', {
      retryAfterSeconds: 1,
    });
  }

  private async refreshed(account: EndUserAccount, stale: StoredGrant): Promise<StoredCredential | null> {
    const key = `${account.id} ${stale.rowVersion}`;
    this.backoff.check(key);
    try {
      const refreshed = await this.leases.withLease(account, stale.rowVersion, async () => {
        const leasedUntilMs = this.clock.nowMs() + this.leases.leaseMs;
        // The previous holder of the lease may have expired the account.
        const { status } = await this.accounts.getOwned(account, account.id);
        if (status === 'EXPIRED') throw accountExpired();
        return this.tokens.refresh(account, stale, leasedUntilMs);
      });
      this.backoff.clear(key);
      return refreshed;
    } catch (error) {
      throw this.backoff.record(key, error);
    }
  }

  private lives({ credentials: { expiresAt } }: StoredGrant, forMs: number): boolean {
    return expiresAt !== null && expiresAt.getTime() - this.clock.nowMs() > forMs;
  }
}

export class RefreshLeases {
  private readonly logger = new Logger(RefreshLeases.name);

  /** @throws RangeError when a call of the token endpoint may take half of the lease or longer */
  constructor(
    private readonly credentials: CredentialRepository,
    private readonly timer: Timer,
    readonly leaseMs = REFRESH_LEASE_MS,
  ) {
    if (leaseMs <= 2 * TOKEN_TIMEOUT_MS) {
      throw new RangeError(`A lease of ${leaseMs} ms is not more than twice the time of a token call`);
    }
  }

  /**
   * Runs `work` under the lease. Returns null when the version was replaced while waiting.
   * @throws DomainError NotFound when the account was deleted, and what `work` throws
   */
  async withLease<T>(account: EndUserAccount, rowVersion: number, work: () => Promise<T | null>): Promise<T | null> {
    for (;;) {
      const leaseId = await this.credentials.lease(account, account.id, rowVersion, this.leaseMs);
      if (leaseId !== null) {
        try {
          return await work();
        } finally {
          await this.release(account, leaseId);
        }
      }
      if (await this.isReplaced(account, rowVersion)) return null;
    }
  }

  private async isReplaced(account: EndUserAccount, rowVersion: number): Promise<boolean> {
    for (let poll = 0; poll < POLLS_PER_TRY; poll += 1) {
      const version = await this.credentials.version(account, account.id);
      if (version === null) throw noSuchAccount();
      if (version !== rowVersion) return true;
      await this.timer.sleep(POLL_MS.min + Math.random() * (POLL_MS.max - POLL_MS.min));
    }
    return false;
  }

  private async release(account: EndUserAccount, leaseId: string): Promise<void> {
    try {
      await this.credentials.releaseLease(account, account.id, leaseId);
    } catch (error) {
      // The lease expires by itself. The result of the refresh must not be lost.
      this.logger.warn({ msg: 'refresh lease could not be released', accountId: account.id, err: error });
    }
  }
}

interface Failure {
  error: DomainError;
  delayS: number;
  untilMs: number;
}

export class RefreshBackoff {
  private readonly failures = new Map<string, Failure>();

  constructor(private readonly clock: Clock) {}

  check(key: string): void {
    const failure = this.failures.get(key);
    if (failure === undefined) return;
    const leftMs = failure.untilMs - this.clock.nowMs();
    // A clock that was set back must not prolong the wait.
    if (leftMs > 0 && leftMs <= failure.delayS * 1_000) throw withRetryAfter(failure.error, Math.ceil(leftMs / 1_000));
  }

  record(key: string, error: unknown): unknown {
    if (!isTransient(error)) return error;
    const before = this.failures.get(key)?.delayS;
    const ownDelayS = before === undefined ? FIRST_DELAY_S : Math.min(before * 2, MAX_DELAY_S);
    const delayS = error.retryAfterSeconds ?? ownDelayS;
    const nowMs = this.clock.nowMs();
    if (this.failures.size >= CROWDED) this.deleteLapsed(nowMs);
    this.failures.set(key, { error, delayS, untilMs: nowMs + delayS * 1_000 });
    return withRetryAfter(error, delayS);
  }

  clear(key: string): void {
    this.failures.delete(key);
  }

  private deleteLapsed(nowMs: number): void {
    for (const [key, { untilMs }] of this.failures) if (untilMs <= nowMs) this.failures.delete(key);
  }
}

function withRetryAfter({ code, message, details, provider, cause }: DomainError, seconds: number): DomainError {
  return new DomainError(code, message, { details, provider, cause, retryAfterSeconds: seconds });
}
