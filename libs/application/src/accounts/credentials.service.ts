import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import {
  AccountRepository,
  Clock,
  CredentialRepository,
  DomainError,
  TOKEN_TIMEOUT_MS,
  isGrant,
  isTransient,
  type EndUserAccount,
  type StoredCredential,
  type StoredGrant,
} from '#domain';
import { unlessAborted } from '#platform/deadline';
import { accountExpired } from './account-expiry.js';
import { Timer } from './timer.js';
import { TokenRefresh } from './token-refresh.js';

/** Access tokens that are given out live at least this long. */
const LEAST_LIFE_MS = 5 * 60_000;
/** How often credentials may be replaced under a caller before it is told to come again. */
const MOST_ROUNDS = 3;
/** How long a refresh may take before another process takes it over, milliseconds. */
const REFRESH_LEASE_MS = 20_000;
/** How often somebody who waits looks whether the new credentials are there: at random between the two, milliseconds. */
const POLL_MS = { min: 25, max: 50 };
/** And, every so many looks, whether the holder has died. */
const LOOKS_PER_TRY = 8;
const FIRST_DELAY_S = 1;
const LONGEST_DELAY_S = 30;
/** Failures remembered before those that have lapsed are cleared out. */
const CROWDED = 10_000;

/**
 * Keeps credentials usable. An access token is refreshed once, however many callers in however many processes need it.
 */
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
   * The account's credentials; an access token among them lives for five minutes more, or as long as its provider
   * makes them live.
   * @throws DomainError NotFound, EndUserAccountExpired, ProviderUnavailable, ProviderTimeout, ProviderRateLimited (with
   *   `retryAfterSeconds`), and the signal's reason
   */
  async getFresh(account: EndUserAccount, signal: AbortSignal): Promise<StoredCredential> {
    const stored = await this.credentials.get(refOf(account), account.id);
    return isGrant(stored) && !this.lives(stored, LEAST_LIFE_MS) ? this.refresh(account, stored, signal) : stored;
  }

  /**
   * Other credentials than these: the ones that somebody has stored since, else refreshed ones.
   * @throws DomainError as {@link getFresh}
   */
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
   * What to try after the provider refused an access token before its time: a refreshed one, so that the token endpoint
   * has its say. Not twice in one attempt (it began at `sinceMs`, epoch): what was refreshed since is tried once more.
   * @throws DomainError as {@link getFresh}
   */
  async refreshAfterRejection(
    account: EndUserAccount,
    refused: StoredGrant,
    sinceMs: number,
    signal: AbortSignal,
  ): Promise<StoredCredential> {
    const isOfThisAttempt = refused.updatedAt.getTime() >= sinceMs;
    return isOfThisAttempt ? this.credentials.get(refOf(account), account.id) : this.refresh(account, refused, signal);
  }

  /** A refresh under way is seen through: what it brings may be the only token that works afterwards. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.flights.values());
  }

  private async replaced(account: EndUserAccount, stale: StoredGrant): Promise<StoredCredential> {
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      const refreshed = await this.refreshed(account, stale);
      if (refreshed !== null) return refreshed;
      const stored = await this.credentials.get(refOf(account), account.id);
      if (!isGrant(stored) || this.lives(stored, 0)) return stored;
      stale = stored;
    }
    throw new DomainError('ProviderUnavailable', 'The credentials of this account are being replaced.', {
      retryAfterSeconds: 1,
    });
  }

  /** null when other credentials are stored by now. */
  private async refreshed(account: EndUserAccount, stale: StoredGrant): Promise<StoredCredential | null> {
    const key = `${account.id} ${stale.rowVersion}`;
    this.backoff.check(key);
    try {
      const refreshed = await this.leases.hold(account, stale.rowVersion, async () => {
        const leasedUntilMs = this.clock.nowMs() + this.leases.leaseMs;
        // Who held the lease before us may have found out that the grant is dead.
        const { status } = await this.accounts.getOwned(refOf(account), account.id);
        if (status === 'EXPIRED') throw accountExpired();
        return this.tokens.refresh(account, stale, leasedUntilMs);
      });
      this.backoff.clear(key);
      return refreshed;
    } catch (error) {
      throw this.backoff.note(key, error);
    }
  }

  private lives({ credentials: { expiresAt } }: StoredGrant, forMs: number): boolean {
    return expiresAt !== null && expiresAt.getTime() - this.clock.nowMs() > forMs;
  }
}

function refOf({ applicationId }: EndUserAccount): { applicationId: string } {
  return { applicationId };
}

/** Sees to it that one process at a time refreshes an account. */
export class RefreshLeases {
  private readonly logger = new Logger(RefreshLeases.name);

  /** @throws RangeError when a call of the token endpoint could outlive half of the lease */
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
   * Runs `work` as the only one, over all processes, that refreshes this version of the credentials; waits for its turn.
   * @returns what `work` returns, and null when the version was replaced while waiting
   * @throws DomainError NotFound, when the account is gone, and whatever `work` throws
   */
  async hold<T>(account: EndUserAccount, rowVersion: number, work: () => Promise<T | null>): Promise<T | null> {
    const application = { applicationId: account.applicationId };
    for (;;) {
      const leaseId = await this.credentials.lease(application, account.id, rowVersion, this.leaseMs);
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

  /** Looks for a while. @throws DomainError NotFound */
  private async isReplaced(account: EndUserAccount, rowVersion: number): Promise<boolean> {
    for (let look = 0; look < LOOKS_PER_TRY; look += 1) {
      const version = await this.credentials.version({ applicationId: account.applicationId }, account.id);
      if (version === null) throw new DomainError('NotFound', 'There is no end user account with this id.');
      if (version !== rowVersion) return true;
      await this.timer.sleep(POLL_MS.min + Math.random() * (POLL_MS.max - POLL_MS.min));
    }
    return false;
  }

  private async release(account: EndUserAccount, leaseId: string): Promise<void> {
    try {
      await this.credentials.releaseLease({ applicationId: account.applicationId }, account.id, leaseId);
    } catch (error) {
      // It runs out by itself; what the work came to must not be lost over it.
      this.logger.warn({ msg: 'the lease of a refresh was not given back', accountId: account.id, err: error });
    }
  }
}

interface Failure {
  error: DomainError;
  delayS: number;
  untilMs: number;
}

/** Keeps callers from asking a token endpoint that has just failed, over and over. Of this process alone. */
export class RefreshBackoff {
  private readonly failures = new Map<string, Failure>();

  constructor(private readonly clock: Clock) {}

  /** @throws DomainError the last failure, while it is too early to try again */
  check(key: string): void {
    const failure = this.failures.get(key);
    if (failure === undefined) return;
    const leftMs = failure.untilMs - this.clock.nowMs();
    // A clock that was set back must not make the wait longer.
    if (leftMs > 0 && leftMs <= failure.delayS * 1_000) throw withRetryAfter(failure.error, Math.ceil(leftMs / 1_000));
  }

  /** @returns what to throw: with a `retryAfterSeconds` when the failure may pass, as it is otherwise */
  note(key: string, error: unknown): unknown {
    if (!isTransient(error)) return error;
    const before = this.failures.get(key)?.delayS;
    const ownDelayS = before === undefined ? FIRST_DELAY_S : Math.min(before * 2, LONGEST_DELAY_S);
    const delayS = error.retryAfterSeconds ?? ownDelayS;
    const nowMs = this.clock.nowMs();
    if (this.failures.size >= CROWDED) this.forgetLapsed(nowMs);
    this.failures.set(key, { error, delayS, untilMs: nowMs + delayS * 1_000 });
    return withRetryAfter(error, delayS);
  }

  clear(key: string): void {
    this.failures.delete(key);
  }

  private forgetLapsed(nowMs: number): void {
    for (const [key, { untilMs }] of this.failures) if (untilMs <= nowMs) this.failures.delete(key);
  }
}

function withRetryAfter({ code, message, details, provider, cause }: DomainError, seconds: number): DomainError {
  return new DomainError(code, message, { details, provider, cause, retryAfterSeconds: seconds });
}
