import { AccountAccess } from '../src/accounts/account-access.js';
import { AccountChannels } from '../src/accounts/account-channels.js';
import { AccountConnector } from '../src/accounts/account-connector.js';
import { AccountDeletion, GrantRevocation } from '../src/accounts/account-deletion.js';
import { AccountEventPublisher } from '../src/accounts/account-event-publisher.js';
import { AccountExpiry, PasswordRejections } from '../src/accounts/account-expiry.js';
import { AccountRegistration, AccountRegistrations } from '../src/accounts/account-registration.js';
import { MemoryRequestLedger } from '#domain/testing/memory-usage';
import { RequestLedger } from '../src/usage/request-ledger.js';
import { AccountUsage } from '../src/accounts/account-usage.js';
import { CredentialCheck } from '../src/accounts/credential-check.js';
import { CredentialsService } from '../src/accounts/credentials.service.js';
import { MassExpiryBreaker } from '../src/accounts/mass-expiry-breaker.js';
import { OAuthClients, TokenClient, TokenRefresh } from '../src/accounts/token-refresh.js';
import type { ExpiryReason, EndUserAccount, OAuthCredentials, ProviderType, StoredCredential } from '#domain/accounts';
import type { CalendarPush } from '#domain/channels';
import type { ConnectLinkRepository } from '#domain/connect-links';
import {
  AuthorizationServer,
  type AccountIdentity,
  type OAuthClient,
  type OAuthTokens,
  type TokenDecision,
} from '#domain/oauth';
import type {
  AccountSession,
  CalendarProvider,
  CalendarProviders,
  ConnectedAccount,
  ConnectRequest,
} from '#domain/providers';
import { DomainError, type ProviderErrorDetails } from '#domain/system';
import {
  MemoryAccounts,
  MemoryConnectThrottle,
  MemoryCredentials,
  MemoryHealth,
  MemoryLedger,
  MemoryOAuthClients,
  MemoryOutbox,
  MemoryRevocations,
  MemoryUnitOfWork,
} from '#domain/testing/memory-accounts';
import { MemoryChannels } from '#domain/testing/memory-channels';
import { VirtualTime } from '#domain/testing/virtual-time';

export const APP = { applicationId: 'app' };
export const CLIENT: OAuthClient = { clientId: 'client', clientSecret: 'secret', scopes: null, tenant: null };
export const FAULT: ProviderErrorDetails = { status: 400, code: 'refused', message: 'no', retryable: false };
export const MINUTE_MS = 60_000;

export const grantRejected = (reason: ExpiryReason = 'invalid_grant'): TokenDecision => ({
  state: 'grant-rejected',
  reason,
  error: FAULT,
});
export const clientRejected = (): TokenDecision => ({ state: 'client-rejected', error: FAULT });

/** An authorization server whose decisions a test makes; it grants when the test says nothing. */
export class FakeAuthorization extends AuthorizationServer {
  override readonly defaultScopes = ['calendar'];
  /** Refresh tokens, in the order in which they came. */
  readonly refreshed: string[] = [];
  readonly clients: OAuthClient[] = [];
  readonly revoked: string[] = [];
  latencyMs = 0;
  identity: AccountIdentity | null = null;
  decide: (refreshToken: string, call: number) => TokenDecision | Promise<TokenDecision> = () => this.grant();
  revoking: () => Promise<void> = async () => undefined;
  private issued = 0;

  constructor(private readonly time: VirtualTime) {
    super();
  }

  grant(tokens: Partial<OAuthTokens> = {}): TokenDecision {
    return {
      state: 'granted',
      tokens: {
        accessToken: `access-${(this.issued += 1)}`,
        refreshToken: null,
        expiresAt: new Date(this.time.nowMs() + 60 * MINUTE_MS),
        scopes: null,
        identity: null,
        ...tokens,
      },
    };
  }

  override async refresh({ client, refreshToken }: { client: OAuthClient; refreshToken: string }) {
    this.clients.push(client);
    const call = this.refreshed.push(refreshToken);
    if (this.latencyMs > 0) await this.time.sleep(this.latencyMs);
    return this.decide(refreshToken, call);
  }

  override async identify(): Promise<AccountIdentity | null> {
    return this.identity;
  }

  override async revoke({ token }: { token: string }): Promise<void> {
    this.revoked.push(token);
    return this.revoking();
  }

  override authorizationEndpoint(): string {
    return 'https://provider.example/authorize';
  }

  override authorizationParams() {
    return {};
  }

  override isIssuer(): boolean {
    return true;
  }

  override missingScopes(): string[] {
    return [];
  }

  override exchange(): Promise<TokenDecision> {
    throw new Error('no code here');
  }
}

/** Which credentials each provider takes. */
const CAPABILITIES = {
  CALDAV: { authentication: 'password', needsServerUrl: true, rejectedTokenEndsGrant: false },
  APPLE: { authentication: 'password', needsServerUrl: false, rejectedTokenEndsGrant: false },
  GOOGLE: { authentication: 'oauth', needsServerUrl: false, rejectedTokenEndsGrant: true },
  MICROSOFT: { authentication: 'oauth', needsServerUrl: false, rejectedTokenEndsGrant: false },
} as const;

/** Everything about accounts on stores in memory, with a clock of its own. `process()` makes one more process on them. */
export function accountsFixture() {
  const time = new VirtualTime();
  const unitOfWork = new MemoryUnitOfWork();
  const accounts = new MemoryAccounts(unitOfWork, time);
  const credentials = new MemoryCredentials(accounts, unitOfWork, time);
  const outbox = new MemoryOutbox(unitOfWork);
  const health = new MemoryHealth(time);
  const ledger = new MemoryLedger(time);
  const ownClients = new MemoryOAuthClients();
  const guard = new MemoryConnectThrottle();
  const revocations = new MemoryRevocations(unitOfWork);
  const channels = new MemoryChannels(accounts, time);
  const syncedCalendars = channels.calendars;
  const links = { use: () => Promise.reject(new Error('there are no links here')) } as unknown as ConnectLinkRepository;
  const authorization = new FakeAuthorization(time);
  const shared = new Map<ProviderType, OAuthClient>();
  ownClients.clients.set('GOOGLE', CLIENT);

  const connects: ConnectRequest[] = [];
  const provider = {
    connect: async (request: ConnectRequest): Promise<ConnectedAccount> => ({
      email: request.email,
      serverUrl: request.serverUrl === null ? null : 'https://dav.example/normalised/',
      providerAccountId: request.grant?.identity?.subject ?? null,
      authorizedScopes: request.grant?.scopes ?? [],
      providerState: { found: true },
    }),
    verify: async (_session: AccountSession): Promise<boolean> => true,
    push: null as CalendarPush | null,
  };
  const providerOf = (type: ProviderType): CalendarProvider =>
    ({
      type,
      capabilities: CAPABILITIES[type as keyof typeof CAPABILITIES],
      authorization: CAPABILITIES[type as keyof typeof CAPABILITIES].authentication === 'oauth' ? authorization : null,
      connect: (request: ConnectRequest) => {
        connects.push(request);
        return provider.connect(request);
      },
      verify: (session: AccountSession) => provider.verify(session),
      push: provider.push,
    }) as unknown as CalendarProvider;
  const types = Object.keys(CAPABILITIES);
  const providers: CalendarProviders = { for: providerOf, all: () => types.map(providerOf) };

  const requestCounts = new MemoryRequestLedger();
  const process = () => {
    const events = new AccountEventPublisher(outbox, time);
    const breaker = new MassExpiryBreaker(ledger);
    const expiry = new AccountExpiry(accounts, credentials, events, unitOfWork, breaker);
    const clients = new OAuthClients(ownClients, { for: (type) => shared.get(type) ?? null });
    const tokens = new TokenClient(providers, clients);
    const refresh = new TokenRefresh(tokens, accounts, credentials, unitOfWork, breaker, expiry, time, time);
    const credentialsService = new CredentialsService(accounts, credentials, refresh, time, time);
    const passwords = new PasswordRejections(health, credentials, expiry, time);
    const usage = new AccountUsage(health, time);
    const requests = new RequestLedger(requestCounts);
    const access = new AccountAccess(
      accounts,
      credentials,
      providers,
      credentialsService,
      expiry,
      passwords,
      usage,
      requests,
      time,
    );
    const registration = new AccountRegistration(
      accounts,
      credentials,
      syncedCalendars,
      events,
      links,
      revocations,
      unitOfWork,
      time,
    );
    const grants = new AccountRegistrations(providers, registration, breaker, requests);
    const atProvider = new AccountChannels(channels, providers, access, time);
    const revocation = new GrantRevocation(revocations, credentials, clients, providers);
    return {
      access,
      breaker,
      credentialsService,
      grants,
      registration,
      revocation,
      check: new CredentialCheck(credentials, health, access, credentialsService, time),
      connections: new AccountConnector(providers, registration, grants, clients, tokens, guard, requests),
      atProvider,
      deletion: new AccountDeletion(accounts, credentials, revocations, revocation, atProvider, events, unitOfWork),
    };
  };

  let people = 0;
  return {
    time,
    unitOfWork,
    accounts,
    credentials,
    outbox,
    health,
    ledger,
    ownClients,
    shared,
    guard,
    revocations,
    channels,
    syncedCalendars,
    authorization,
    provider,
    providers,
    connects,
    process,
    ...process(),

    /** An account that lives on a grant, its access token out of date unless `expiresInMs` says otherwise. */
    async grantedAccount(
      over: Partial<OAuthCredentials> = {},
      expiresInMs = 0,
      providerType: 'GOOGLE' | 'MICROSOFT' = 'GOOGLE',
    ): Promise<EndUserAccount> {
      const person = `person-${(people += 1)}`;
      const { account } = await accounts.upsert(APP, {
        providerType,
        email: `${person}@example.test`,
        serverUrl: null,
        authorizedScopes: ['calendar', 'openid'],
        providerAccountId: person,
        providerState: {},
      });
      await credentials.put(APP, account.id, {
        kind: 'oauth',
        clientId: CLIENT.clientId,
        accessToken: 'access-0',
        refreshToken: `refresh-${person}`,
        expiresAt: new Date(time.nowMs() + expiresInMs),
        ...over,
      });
      return account;
    },

    /** Somebody connects the account again. */
    reconnect(account: EndUserAccount): Promise<StoredCredential> {
      return credentials.put(APP, account.id, {
        kind: 'oauth',
        clientId: CLIENT.clientId,
        accessToken: 'reconnected',
        refreshToken: 'reconnected',
        expiresAt: new Date(time.nowMs() + 60 * MINUTE_MS),
      });
    },

    async passwordAccount(password = 'first'): Promise<EndUserAccount> {
      const { account } = await accounts.upsert(APP, {
        providerType: 'CALDAV',
        email: 'alice',
        serverUrl: 'https://dav.example/',
        authorizedScopes: [],
        providerAccountId: null,
        providerState: { version: 1 },
      });
      await credentials.put(APP, account.id, { kind: 'password', password });
      return account;
    },

    async statusOf(account: EndUserAccount): Promise<string> {
      const { status, statusReason } = await accounts.getOwned(APP, account.id);
      return statusReason === null ? status : `${status} ${statusReason}`;
    },
  };
}

export type AccountsFixture = ReturnType<typeof accountsFixture>;

export const rejected = () => new DomainError('CredentialsRejected', 'no');
export const unavailable = () => new DomainError('ProviderUnavailable', 'away');
export const signal = new AbortController().signal;
