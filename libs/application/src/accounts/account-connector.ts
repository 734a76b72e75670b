import { Injectable } from '@nestjs/common';
import { ConnectThrottle, type Credentials, type EndUserAccount, type ProviderType } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { CalendarProviders, type CalendarProvider } from '#domain/providers';
import { DomainError, invalid } from '#domain/system';
import { RequestLedger } from '../usage/request-ledger.js';
import { AccountRegistration, AccountRegistrations } from './account-registration.js';
import { OAuthClients, TokenClient } from './token-refresh.js';

export interface UpsertAccount {
  providerType: ProviderType;
  /** Login at the provider. Required unless the account connects with a `url`. */
  email?: string;
  externalId?: string | null;
  refreshToken?: string | null;
  password?: string | null;
  serverUrl?: string | null;
  url?: string | null;
  /** Display name of a `url` account. null or undefined for the provider's name. */
  name?: string | null;
  /** The link that the user came by. Does not replace the account's own `externalId`. */
  connectLinkId?: string;
}

interface Connecting {
  application: ApplicationRef;
  request: UpsertAccount;
  email: string;
  signal: AbortSignal;
}

type Proof = () => Promise<() => Promise<EndUserAccount>>;

@Injectable()
export class AccountConnector {
  constructor(
    private readonly providers: CalendarProviders,
    private readonly registration: AccountRegistration,
    private readonly grants: AccountRegistrations,
    private readonly clients: OAuthClients,
    private readonly tokens: TokenClient,
    private readonly guard: ConnectThrottle,
    private readonly ledger: RequestLedger,
  ) {}

  /**
   * Creates or updates an account, and sets it ACTIVE. Stores nothing unless a real call succeeded.
   * @throws DomainError ValidationFailed, NotSupportedByProvider, ServerNotAllowed, CredentialsRejected, RateLimited,
   *   ProviderUnavailable, ProviderTimeout, ProviderRateLimited
   */
  async connect(
    application: ApplicationRef,
    request: UpsertAccount,
    signal: AbortSignal,
    actor: string,
  ): Promise<EndUserAccount> {
    const provider = this.providers.for(request.providerType);
    const { authentication } = provider.capabilities;
    const email = authentication === 'url' ? '' : required('email', provider, request).trim();
    const connecting = { application, request, email, signal };
    const verify =
      authentication === 'oauth' ? this.withRefreshToken(provider, connecting) : this.withSecret(provider, connecting);
    const attempt = {
      applicationId: application.applicationId,
      actor,
      providerType: provider.type,
      login: loginOf(provider, connecting),
    };
    await this.guard.admit(attempt);
    try {
      const store = await verify();
      // Checked again: concurrent tries that were all admitted must not reveal which one was right.
      await this.guard.admit(attempt);
      return await store();
    } catch (error) {
      if (error instanceof DomainError && error.code === 'CredentialsRejected')
        await this.guard.recordRejection(attempt);
      throw error;
    }
  }

  private withSecret(provider: CalendarProvider, connecting: Connecting): Proof {
    const { application, request, email, signal } = connecting;
    const serverUrl = requiredServerUrl(provider, request);
    const credentials = secretOf(provider, request);
    return async () => {
      const connected = await provider.connect({
        applicationId: application.applicationId,
        email,
        serverUrl,
        credentials,
        ...(request.name != null && { name: request.name }),
        observer: this.ledger.observer(application, { providerType: provider.type, project: '', cause: 'connect' }),
        signal,
      });
      const { externalId, connectLinkId } = request;
      return () =>
        this.registration.register(application, {
          ...{ providerType: provider.type, connected, credentials, externalId, connectLinkId },
          replacesExternalId: connectLinkId === undefined,
        });
    };
  }

  private withRefreshToken(provider: CalendarProvider, connecting: Connecting): Proof {
    const { application, request, email, signal } = connecting;
    const refreshToken = required('refreshToken', provider, request);
    return async () => {
      const client = await this.clients.of(application, provider.type);
      if (client === null) {
        throw invalid(
          'providerType',
          `no OAuth client is configured for ${provider.type} accounts of this application`,
        );
      }
      const decision = await this.tokens.refresh(application, provider.type, client, { refreshToken });
      if (decision.state === 'grant-rejected') {
        throw new DomainError(
          'CredentialsRejected',
          'The provider refuses the refresh token. It must have been given to the OAuth client of this application.',
          { provider: decision.error },
        );
      }
      const tokens = { ...decision.tokens, refreshToken: decision.tokens.refreshToken ?? refreshToken };
      return () =>
        this.grants.store(application, {
          providerType: provider.type,
          client,
          tokens,
          email,
          externalId: request.externalId,
          signal,
        });
    };
  }
}

function requiredServerUrl(provider: CalendarProvider, { serverUrl }: UpsertAccount): string | null {
  if (!provider.capabilities.needsServerUrl) return null;
  if (serverUrl == null || serverUrl.trim() === '') {
    throw invalid('serverUrl', `is required for ${provider.type} accounts`);
  }
  return serverUrl.trim();
}

function secretOf(provider: CalendarProvider, request: UpsertAccount): Credentials {
  if (provider.capabilities.authentication === 'password') {
    return { kind: 'password', password: required('password', provider, request) };
  }
  if (request.url == null) {
    const route = `/v1/basicAuth/connect/{applicationId}/${provider.type.toLowerCase()}`;
    throw invalid('providerType', `${provider.type} accounts are connected by POST ${route}`);
  }
  return { kind: 'url', url: request.url.trim() };
}

type RequiredField = 'email' | 'password' | 'refreshToken';

function required(field: RequiredField, provider: CalendarProvider, request: UpsertAccount): string {
  const value = request[field];
  if (value == null || value === '') throw invalid(field, `is required for ${provider.type} accounts`);
  return value;
}

/** Same login for every spelling of a server address, so that another spelling gives no new tries. */
function loginOf(provider: CalendarProvider, { email, request: { serverUrl, url } }: Connecting): string {
  if (provider.capabilities.authentication === 'url') return url?.trim() ?? '';
  const login = email.toLowerCase();
  if (!provider.capabilities.needsServerUrl || serverUrl == null) return login;
  const address = serverUrl.trim();
  const host = URL.parse(/^https?:\/\//i.test(address) ? address : `https://${address}`)?.host;
  return `${login} ${host ?? address.toLowerCase()}`;
}
