import { MemoryRequestLedger } from '#domain/testing/memory-usage';
import { RequestLedger } from '../src/usage/request-ledger.js';
import { randomUUID } from 'node:crypto';
import { AccountRegistration, AccountRegistrations, MassExpiryBreaker, OAuthClients } from '#application/accounts';
import {
  CallbackUrls,
  AuthorizationRequests,
  SignInGrants,
  SignInService,
  type SignInTestRunner,
} from '#application/oauth';
import {
  isOfAnotherUser,
  type AccountRepository,
  type CredentialRepository,
  type Credentials,
  type EndUserAccount,
  type ProviderType,
  type StoredGrant,
} from '#domain/accounts';
import type { ApplicationRepository } from '#domain/applications';
import {
  AuthorizationRequestRepository,
  type AuthorizationServer,
  type AuthorizationRequest,
  type OAuthClient,
  type OAuthClientRepository,
  type OAuthTokens,
  type PreparedSignIn,
  type RedirectUrlRepository,
} from '#domain/oauth';
import {
  CalendarProviders,
  type CalendarProvider,
  type ConnectedAccount,
  type ConnectRequest,
} from '#domain/providers';
import { DomainError, ExternalIdMismatch, noSuchApplication } from '#domain/system';
import { TokenClient, type TokenRefresh } from '../src/accounts/token-refresh.js';
import { FakeAuthorizationServer } from '#domain/testing/fake-authorization-server';
import { MemoryLedger } from '#domain/testing/memory-accounts';

export const APPLICATION_ID = '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5';
export const OTHER_APPLICATION_ID = '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f7';
export const REDIRECT_URL = 'https://app.example.test/connected';

/** Sign-ins over ports in memory, with two fake authorization servers. */
export class SignInFixture {
  readonly google = new FakeAuthorizationServer('https://accounts.google.test');
  readonly microsoft = new FakeAuthorizationServer('https://login.microsoft.test');
  readonly attempts = new MemoryAttempts(this);
  readonly accounts: (EndUserAccount & { credentials: Credentials })[] = [];
  redirectUrls = [REDIRECT_URL];
  requiresSignedLinks = false;
  /** By provider; of every application. */
  readonly clients = new Map<ProviderType, OAuthClient>([
    ['GOOGLE', aClient('google-client')],
    ['MICROSOFT', aClient('microsoft-client')],
  ]);
  nowMs = Date.parse('2026-11-21T10:00:00Z');
  /** Of the next connects at the provider. */
  connect: (request: ConnectRequest) => Promise<ConnectedAccount> = connected;
  readonly service: SignInService;

  constructor(publicUrl: string) {
    const providers = new FakeProviders({
      GOOGLE: this.provider('GOOGLE', this.google),
      MICROSOFT: this.provider('MICROSOFT', this.microsoft),
      CALDAV: this.provider('CALDAV', null),
    });
    const clients = new OAuthClients(
      {
        find: async (_application: unknown, type: ProviderType) => this.clients.get(type) ?? null,
      } as OAuthClientRepository,
      { for: () => null },
    );
    const registration = { register: this.register.bind(this) } as unknown as AccountRegistration;
    this.service = new SignInService(
      providers,
      {
        get: async (id: string) => this.application(id) ?? Promise.reject(noSuchApplication()),
      } as ApplicationRepository,
      { list: async () => this.redirectUrls } as unknown as RedirectUrlRepository,
      clients,
      new CallbackUrls(publicUrl),
      new AuthorizationRequests(this.attempts, new CallbackUrls(publicUrl), { nowMs: () => this.nowMs }),
      new SignInGrants(
        new AccountRegistrations(
          providers,
          registration,
          new MassExpiryBreaker(new MemoryLedger({ nowMs: () => this.nowMs })),
          new RequestLedger(new MemoryRequestLedger()),
        ),
        { findByProviderAccountId: this.findByProviderAccountId.bind(this) } as unknown as AccountRepository,
        {
          get: this.credentialsOf.bind(this),
          sharesGrant: this.sharesGrant.bind(this),
        } as unknown as CredentialRepository,
        new TokenClient(providers, clients),
        { save: this.saveRefreshed.bind(this) } as unknown as TokenRefresh,
      ),
      { finish: this.finishTest.bind(this) } as unknown as SignInTestRunner,
    );
  }

  /** The refresh token of the only account. */
  refreshToken(): string {
    const [account, ...others] = this.accounts;
    if (account?.credentials.kind !== 'oauth' || others.length > 0) throw new Error('there is not exactly one account');
    return account.credentials.refreshToken;
  }

  private application(id: string) {
    const found = [APPLICATION_ID, OTHER_APPLICATION_ID].find((each) => each === id.toLowerCase());
    return found === undefined ? null : { id: found, requiresSignedLinks: this.requiresSignedLinks };
  }

  private async finishTest(): Promise<string> {
    throw new Error('operators test nothing here');
  }

  private provider(type: ProviderType, authorization: AuthorizationServer | null): CalendarProvider {
    return {
      type,
      authorization,
      connect: (request: ConnectRequest) => this.connect(request),
    } as unknown as CalendarProvider;
  }

  private async register(
    { applicationId }: { applicationId: string },
    proven: Parameters<AccountRegistration['register']>[1],
  ): Promise<EndUserAccount> {
    const { providerType, connected, credentials, externalId, replacesExternalId = true } = proven;
    const known = await this.findByProviderAccountId(null, providerType, connected.providerAccountId ?? '');
    if (known !== null) {
      if (!replacesExternalId && isOfAnotherUser(known, externalId)) throw new ExternalIdMismatch();
      const bound = (replacesExternalId || (known.externalId ?? '') === '') && externalId !== undefined;
      return Object.assign(known, { ...connected, credentials, ...(bound && { externalId }) });
    }
    const now = new Date(this.nowMs);
    const account: EndUserAccount & { credentials: Credentials } = {
      ...connected,
      id: randomUUID(),
      applicationId,
      providerType,
      credentials,
      externalId: externalId ?? null,
      providerId: 'provider',
      status: 'ACTIVE',
      statusReason: null,
      createdAt: now,
      updatedAt: now,
    };
    this.accounts.push(account);
    return account;
  }

  private async findByProviderAccountId(_application: unknown, type: ProviderType, subject: string) {
    return (
      this.accounts.find((account) => account.providerType === type && account.providerAccountId === subject) ?? null
    );
  }

  private async credentialsOf(_application: unknown, accountId: string) {
    return { credentials: this.accounts.find(({ id }) => id === accountId)?.credentials };
  }

  private async saveRefreshed({ id }: EndUserAccount, { credentials }: StoredGrant, tokens: OAuthTokens) {
    const account = this.accounts.find((each) => each.id === id);
    if (account === undefined) return;
    const { accessToken, refreshToken, expiresAt } = tokens;
    account.credentials = {
      ...credentials,
      accessToken,
      expiresAt,
      refreshToken: refreshToken ?? credentials.refreshToken,
    };
  }

  /** Whether accounts live on grants that the client has now. */
  sharesGrants = true;

  private async sharesGrant(account: Pick<EndUserAccount, 'id' | 'providerType' | 'providerAccountId'>) {
    if (!this.sharesGrants) return false;
    return this.accounts.some(
      ({ id, providerType, providerAccountId }) =>
        id !== account.id && providerType === account.providerType && providerAccountId === account.providerAccountId,
    );
  }
}

class MemoryAttempts extends AuthorizationRequestRepository {
  readonly kept = new Map<string, AuthorizationRequest>();
  readonly prepared = new Map<string, PreparedSignIn>();

  constructor(private readonly clock: { nowMs: number }) {
    super();
  }

  override async save(attempt: AuthorizationRequest): Promise<void> {
    this.kept.set(attempt.stateHash.toString('hex'), attempt);
  }

  override async take(stateHash: Buffer): Promise<AuthorizationRequest | null> {
    return this.takeFrom(this.kept, stateHash);
  }

  override async prepare(signIn: PreparedSignIn): Promise<void> {
    this.prepared.set(signIn.urlHash.toString('hex'), signIn);
  }

  override async takePrepared(urlHash: Buffer): Promise<PreparedSignIn | null> {
    return this.takeFrom(this.prepared, urlHash);
  }

  private takeFrom<Kept extends { expiresAt: Date }>(all: Map<string, Kept>, hash: Buffer): Kept | null {
    const key = hash.toString('hex');
    const found = all.get(key);
    all.delete(key);
    return found === undefined || found.expiresAt.getTime() <= this.clock.nowMs ? null : found;
  }
}

class FakeProviders extends CalendarProviders {
  constructor(private readonly installed: Record<ProviderType, CalendarProvider>) {
    super();
  }

  override for(type: ProviderType): CalendarProvider {
    const provider = this.installed[type];
    if (provider === undefined) throw new DomainError('NotSupportedByProvider', `There is no ${type} here.`);
    return provider;
  }

  override all(): CalendarProvider[] {
    return Object.values(this.installed);
  }
}

function aClient(clientId: string): OAuthClient {
  return { clientId, clientSecret: 'client-secret', scopes: null, tenant: null };
}

async function connected({ email, grant }: ConnectRequest): Promise<ConnectedAccount> {
  return {
    email,
    serverUrl: null,
    providerAccountId: grant?.identity?.subject ?? null,
    authorizedScopes: grant?.scopes ?? [],
    providerState: {},
  };
}
