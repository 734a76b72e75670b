import { Injectable, Logger } from '@nestjs/common';
import {
  CalendarProviders,
  DomainError,
  OAuthClientRepository,
  SharedOAuthClients,
  TOKEN_TIMEOUT_MS,
  type ApplicationRef,
  type CalendarProvider,
  type EndUserAccount,
  type OAuthClient,
  type OAuthCredentials,
  type ProviderFault,
  type ProviderType,
  type TokenDecision,
} from '#domain';

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
    return this.refresh({ applicationId }, providerType, client, refreshToken);
  }

  /** @throws DomainError NotSupportedByProvider, ProviderUnavailable, ProviderTimeout, ProviderRateLimited */
  async refresh(
    { applicationId }: ApplicationRef,
    providerType: ProviderType,
    client: OAuthClient,
    refreshToken: string,
  ): Promise<RefreshDecision> {
    const decision = await authorizationOf(this.providers.for(providerType)).refresh({
      client,
      refreshToken,
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
