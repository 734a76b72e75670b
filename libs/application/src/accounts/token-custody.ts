import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import {
  AccountRepository,
  Clock,
  CredentialRepository,
  DomainError,
  type EndUserAccount,
  type StoredCredential,
} from '#domain';
import { unlessAborted } from '#platform/deadline';
import { accountExpired } from './account-expiry.js';
import { RefreshBackoff } from './refresh-backoff.js';
import type { StoredGrant } from './refreshed-tokens.js';
import { RefreshLeases } from './refresh-leases.js';
import { TokenRefresh } from './token-refresh.js';

/** Access tokens that are given out live at least this long. */
const LEAST_LIFE_MS = 5 * 60_000;
/** How often credentials may be replaced under a caller before it is told to come again. */
const MOST_ROUNDS = 3;

/**
 * Keeps credentials usable. An access token is refreshed once, however many callers in however many processes need it.
 */
@Injectable()
export class TokenCustody implements BeforeApplicationShutdown {
  private readonly flights = new Map<string, Promise<StoredCredential>>();

  constructor(
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly leases: RefreshLeases,
    private readonly tokens: TokenRefresh,
    private readonly backoff: RefreshBackoff,
    private readonly clock: Clock,
  ) {}

  /**
   * The account's credentials; an access token among them lives for five minutes more, or as long as its provider
   * makes them live.
   * @throws DomainError NotFound, EndUserAccountExpired, ProviderUnavailable, ProviderTimeout, ProviderRateLimited (with
   *   `retryAfterSeconds`), and the signal's reason
   */
  async fresh(account: EndUserAccount, signal: AbortSignal): Promise<StoredCredential> {
    const stored = await this.credentials.get(refOf(account), account.id);
    return isGrant(stored) && !this.lives(stored, LEAST_LIFE_MS) ? this.renew(account, stored, signal) : stored;
  }

  /**
   * Other credentials than these: the ones that somebody has stored since, else refreshed ones.
   * @throws DomainError as {@link fresh}
   */
  async renew(account: EndUserAccount, stale: StoredGrant, signal: AbortSignal): Promise<StoredCredential> {
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
   * @throws DomainError as {@link fresh}
   */
  async afterRefusal(
    account: EndUserAccount,
    refused: StoredGrant,
    sinceMs: number,
    signal: AbortSignal,
  ): Promise<StoredCredential> {
    const isOfThisAttempt = refused.updatedAt.getTime() >= sinceMs;
    return isOfThisAttempt ? this.credentials.get(refOf(account), account.id) : this.renew(account, refused, signal);
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

export function isGrant(stored: StoredCredential): stored is StoredGrant {
  return stored.credentials.kind === 'oauth';
}

function refOf({ applicationId }: EndUserAccount): { applicationId: string } {
  return { applicationId };
}
