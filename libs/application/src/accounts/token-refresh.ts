import { Injectable, Logger } from '@nestjs/common';
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
  CalendarProviders,
  OAuthClientRepository,
  SharedOAuthClients,
  type ApplicationRef,
  type CalendarProvider,
  type OAuthClient,
  type OAuthCredentials,
  type ProviderFault,
  type ProviderType,
  type TokenDecision,
} from '#domain';
import { counter, inSpan } from '#platform/telemetry';
import { accountExpired, AccountExpiry, Superseded, unlessSuperseded } from './account-expiry.js';
import { clientOf, MassExpiryBreaker, type RefreshPermit } from './mass-expiry-breaker.js';
import { Timer } from './timer.js';

/** Which OAuth client speaks for an application. */
@Injectable()
export class OAuthClients {
  constructor(
    private readonly own: OAuthClientRepository,
    private readonly shared: SharedOAuthClients,
  ) {}

  /** For new grants: the application's own, else the installation's; null: there is none. */
  async of(application: ApplicationRef, providerType: ProviderType): Promise<OAuthClient | null> {
    return (await this.own.find(application, providerType)) ?? this.shared.for(providerType);
  }

  /** The one that a grant was given to; no other one can use it. null: it is not configured any more. */
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

/** What was decided about a grant. */
export type RefreshDecision = Exclude<TokenDecision, { state: 'client-refused' }>;

/**
 * Refreshes at the providers' token endpoints. What is wrong with a client of ours ends here as an alarm: it is the
 * operator's to correct, and says nothing about anybody's grant.
 */
@Injectable()
export class TokenClient {
  private readonly logger = new Logger(TokenClient.name);

  constructor(
    private readonly providers: CalendarProviders,
    private readonly clients: OAuthClients,
  ) {}

  /**
   * Refreshes the grant of an account with the client that it was given to.
   * @throws DomainError ProviderUnavailable, ProviderTimeout, ProviderRateLimited, when nothing was decided
   */
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
      // Not a caller's signal: the answer may carry the only token that works from now on.
      signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
    });
    if (decision.state !== 'client-refused') return decision;
    throw this.wrongClient({ applicationId, providerType, clientId: client.clientId }, decision.fault);
  }

  private wrongClient(
    client: { applicationId: string; providerType: ProviderType; clientId: string },
    provider?: ProviderFault,
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

/** @throws DomainError NotSupportedByProvider, for a provider whose accounts have passwords */
export function authorizationOf(provider: CalendarProvider): NonNullable<CalendarProvider['authorization']> {
  if (provider.authorization === null) {
    throw new DomainError('NotSupportedByProvider', `${provider.type} accounts do not connect with OAuth.`);
  }
  return provider.authorization;
}

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
