import { Injectable } from '@nestjs/common';
import {
  AccountRepository,
  Clock,
  CredentialRepository,
  DomainError,
  TOKEN_TIMEOUT_MS,
  UnitOfWork,
  type EndUserAccount,
  type OAuthTokens,
  type StoredCredential,
  type StoredGrant,
} from '#domain';
import { counter, inSpan } from '#platform/telemetry';
import { accountExpired, AccountExpiry, Superseded, unlessSuperseded } from './account-expiry.js';
import { clientOf, MassExpiryBreaker, type RefreshPermit } from './mass-expiry-breaker.js';
import { Timer } from './timer.js';
import { TokenClient } from './token-client.js';

const refreshes = counter('calendar_token_refreshes_total');

/** A refusal is asked for once more after this long, before it is believed. */
const CONFIRM_AFTER_MS = 5_000;

/** One refresh, and what follows from its outcome. */
@Injectable()
export class TokenRefresh {
  constructor(
    private readonly tokens: TokenClient,
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly breaker: MassExpiryBreaker,
    private readonly expiry: AccountExpiry,
    private readonly timer: Timer,
    private readonly clock: Clock,
  ) {}

  /**
   * For the holder of the account's lease, which ends at `leasedUntilMs` (epoch).
   * @returns null when other credentials are stored by now
   * @throws DomainError EndUserAccountExpired, when the grant is dead; ProviderUnavailable, ProviderTimeout,
   *   ProviderRateLimited, when nothing can be said about it
   */
  refresh(account: EndUserAccount, grant: StoredGrant, leasedUntilMs: number): Promise<StoredCredential | null> {
    const attributes = { 'calendar.account.id': account.id, 'calendar.provider': account.providerType };
    return inSpan('account.refresh', { attributes }, () => this.decide(account, grant, leasedUntilMs));
  }

  /**
   * Replaces exactly the version that was refreshed; what the response left out stays (RFC 6749 §5.1, §6).
   * @returns null, and nothing is written, when other credentials are stored by now
   */
  async save(account: EndUserAccount, refreshed: StoredGrant, tokens: OAuthTokens): Promise<StoredCredential | null> {
    const application = { applicationId: account.applicationId };
    const { clientId, refreshToken } = refreshed.credentials;
    const saved = this.unitOfWork.run(application, async () => {
      // Account first, then credentials: the order in which connecting locks them, too.
      if (tokens.scopes !== null) await this.accounts.saveAuthorizedScopes(application, account.id, tokens.scopes);
      const replaced = await this.credentials.replace(application, account.id, refreshed.rowVersion, {
        kind: 'oauth',
        clientId,
        accessToken: tokens.accessToken,
        refreshToken: tokens.refreshToken ?? refreshToken,
        expiresAt: tokens.expiresAt,
      });
      if (replaced === null) throw new Superseded();
      return replaced;
    });
    return unlessSuperseded(saved);
  }

  private async decide(
    account: EndUserAccount,
    grant: StoredGrant,
    leasedUntilMs: number,
  ): Promise<StoredCredential | null> {
    const permit = await this.breaker.assertMayRefresh(clientOf(account, grant), account.id);
    const { providerType: provider } = account;
    try {
      const saved = await this.ask(account, grant, permit, leasedUntilMs);
      refreshes.add(1, { provider, outcome: saved === null ? 'superseded' : 'refreshed' });
      return saved;
    } catch (error) {
      const isDead = error instanceof DomainError && error.code === 'EndUserAccountExpired';
      refreshes.add(1, { provider, outcome: isDead ? 'refused' : 'failed' });
      throw error;
    }
  }

  private async ask(
    account: EndUserAccount,
    grant: StoredGrant,
    permit: RefreshPermit,
    leasedUntilMs: number,
  ): Promise<StoredCredential | null> {
    let decision = await this.tokens.refreshGrantOf(account, grant.credentials);
    if (decision.state === 'grant-refused') {
      // Counted at once: of a mass of refusals none is confirmed before the breaker knows of all of them.
      await this.breaker.recordRejected(clientOf(account, grant), account.id);
      if (await this.isReplaced(account, grant)) return null;
      await this.timer.sleep(CONFIRM_AFTER_MS);
      if (await this.isReplaced(account, grant)) return null;
      if (this.clock.nowMs() + TOKEN_TIMEOUT_MS > leasedUntilMs) throw unconfirmed();
      decision = await this.tokens.refreshGrantOf(account, grant.credentials);
    }
    if (decision.state === 'grant-refused') {
      if (await this.expiry.expireGrant(account, grant, decision.reason)) throw accountExpired();
      return null;
    }
    // Stored before anything else can fail: the provider may accept no other refresh token from now on.
    const saved = await this.save(account, grant, decision.tokens);
    await this.breaker.recordRefreshed(clientOf(account, grant), account.id, permit);
    return saved;
  }

  private async isReplaced(account: EndUserAccount, grant: StoredGrant): Promise<boolean> {
    const version = await this.credentials.version({ applicationId: account.applicationId }, account.id);
    return version !== grant.rowVersion;
  }
}

function unconfirmed(): DomainError {
  return new DomainError(
    'ProviderUnavailable',
    'The provider took too long to confirm that it refuses the authorization of this account.',
  );
}
