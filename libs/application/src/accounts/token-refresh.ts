import { Injectable, Logger } from '@nestjs/common';
import {
  AccountRepository,
  CredentialRepository,
  type EndUserAccount,
  type StoredCredential,
  type StoredGrant,
  type OAuthCredentials,
  type ProviderType,
} from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import {
  TOKEN_TIMEOUT_MS,
  type OAuthTokens,
  OAuthClientRepository,
  SharedOAuthClients,
  type OAuthClient,
  type TokenDecision,
} from '#domain/oauth';
import { CalendarProviders, type CalendarProvider } from '#domain/providers';
import { Clock, DomainError, Timer, UnitOfWork, type ProviderErrorDetails } from '#domain/system';
import { counter, inSpan } from '#platform/telemetry';
import { accountExpired, AccountExpiry, Superseded, unlessSuperseded } from './account-expiry.js';
import { clientOf, MassExpiryBreaker, type RefreshPermit } from './mass-expiry-breaker.js';

@Injectable()
export class OAuthClients {
  constructor(
    private readonly own: OAuthClientRepository,
    private readonly shared: SharedOAuthClients,
  ) {}

  /** For new grants: the application's own client, else the shared one. null when neither is configured. */
  async of(application: ApplicationRef, providerType: ProviderType): Promise<OAuthClient | null> {
    return (await this.own.find(application, providerType)) ?? this.shared.for(providerType);
  }

  /** RFC 6749 §6: the client that received the grant. null when it is not configured any more. */
  async ofGrant(
    application: ApplicationRef,
    { providerType, clientId }: { providerType: ProviderType; clientId: string },
  ): Promise<OAuthClient | null> {
    const own = await this.own.find(application, providerType);
    if (own?.clientId === clientId) return own;
    const shared = this.shared.for(providerType);
    return shared?.clientId === clientId ? shared : null;
  }
}

export type RefreshDecision = Exclude<TokenDecision, { state: 'client-rejected' }>;

/** Logs errors of our own OAuth clients for the operator, because they say nothing about the grant. */
@Injectable()
export class TokenClient {
  private readonly logger = new Logger(TokenClient.name);

  constructor(
    private readonly providers: CalendarProviders,
    private readonly clients: OAuthClients,
  ) {}

  /** @throws DomainError ProviderUnavailable, ProviderTimeout, ProviderRateLimited when the response decides nothing */
  async refreshGrantOf(
    { applicationId, providerType }: EndUserAccount,
    { clientId, refreshToken }: OAuthCredentials,
  ): Promise<RefreshDecision> {
    const client = await this.clients.ofGrant({ applicationId }, { providerType, clientId });
    if (client === null) throw this.wrongClient({ applicationId, providerType, clientId });
    return this.refresh({ applicationId }, providerType, client, { refreshToken, isKnown: true });
  }

  /** @throws DomainError NotSupportedByProvider, ProviderUnavailable, ProviderTimeout, ProviderRateLimited */
  async refresh(
    { applicationId }: ApplicationRef,
    providerType: ProviderType,
    client: OAuthClient,
    grant: { refreshToken: string; isKnown?: boolean },
  ): Promise<RefreshDecision> {
    const decision = await authorizationOf(this.providers.for(providerType)).refresh({
      client,
      ...grant,
      // Independent of the caller: the response may carry the only valid refresh token.
      signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
    });
    if (decision.state !== 'client-rejected') return decision;
    throw this.wrongClient({ applicationId, providerType, clientId: client.clientId }, decision.error);
  }

  private wrongClient(
    client: { applicationId: string; providerType: ProviderType; clientId: string },
    provider?: ProviderErrorDetails,
  ): DomainError {
    const problem =
      provider === undefined
        ? 'the OAuth client that a grant was given to is not configured any more'
        : 'the provider refuses an OAuth client';
    this.logger.error({ msg: problem, ...client, provider });
    return new DomainError(
      'ProviderUnavailable',
      `The OAuth client for ${client.providerType} accounts is not usable: the operator of this service has to ` +
        'correct its configuration.',
      { provider },
    );
  }
}

/** @throws DomainError NotSupportedByProvider for a provider without OAuth */
export function authorizationOf(provider: CalendarProvider): NonNullable<CalendarProvider['authorization']> {
  if (provider.authorization === null) {
    throw new DomainError('NotSupportedByProvider', `${provider.type} accounts do not connect with OAuth.`);
  }
  return provider.authorization;
}

const refreshes = counter('calendar_token_refreshes_total');

/** Pause before a rejected grant is tried once more, to confirm the rejection. */
const CONFIRM_AFTER_MS = 5_000;

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
   * @param leasedUntilMs epoch @returns null when other credentials are stored
   * @throws DomainError EndUserAccountExpired, ProviderUnavailable, ProviderTimeout, ProviderRateLimited
   */
  refresh(account: EndUserAccount, grant: StoredGrant, leasedUntilMs: number): Promise<StoredCredential | null> {
    const attributes = { 'calendar.account.id': account.id, 'calendar.provider': account.providerType };
    return inSpan('account.refresh', { attributes }, () => this.decide(account, grant, leasedUntilMs));
  }

  /** Keeps fields that the response omits (RFC 6749 §5.1, §6). Returns null when other credentials are stored. */
  async save(account: EndUserAccount, refreshed: StoredGrant, tokens: OAuthTokens): Promise<StoredCredential | null> {
    const { clientId, refreshToken } = refreshed.credentials;
    const saved = this.unitOfWork.run(account, async () => {
      // Account before credentials: the same lock order as connecting.
      if (tokens.scopes !== null) await this.accounts.saveAuthorizedScopes(account, account.id, tokens.scopes);
      const replaced = await this.credentials.replace(account, account.id, refreshed.rowVersion, {
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
      refreshes.add(1, { provider, outcome: isDead ? 'rejected' : 'failed' });
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
    if (decision.state === 'grant-rejected') {
      // Recorded before confirming, so that the breaker knows of a mass of rejections before any is confirmed.
      await this.breaker.recordRejected(clientOf(account, grant), account.id);
      if (await this.isReplaced(account, grant)) return null;
      await this.timer.sleep(CONFIRM_AFTER_MS);
      if (await this.isReplaced(account, grant)) return null;
      if (this.clock.nowMs() + TOKEN_TIMEOUT_MS > leasedUntilMs) throw unconfirmed();
      decision = await this.tokens.refreshGrantOf(account, grant.credentials);
    }
    if (decision.state === 'grant-rejected') {
      if (await this.expiry.expireGrant(account, grant, decision.reason)) throw accountExpired();
      return null;
    }
    // Stored first: the provider may accept only the new refresh token from now on.
    const saved = await this.save(account, grant, decision.tokens);
    await this.breaker.recordRefreshed(clientOf(account, grant), account.id, permit);
    return saved;
  }

  private async isReplaced(account: EndUserAccount, grant: StoredGrant): Promise<boolean> {
    const version = await this.credentials.version(account, account.id);
    return version !== grant.rowVersion;
  }
}

function unconfirmed(): DomainError {
  return new DomainError(
    'ProviderUnavailable',
    'The provider took too long to confirm that it refuses the authorization of this account.',
  );
}
