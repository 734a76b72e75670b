import { Test, type TestingModule } from '@nestjs/testing';
import {
  OutboxRelay,
  CredentialCheckRepository,
  AccountRepository,
  ConnectThrottle,
  CredentialRepository,
  MassExpiryRepository,
  Outbox,
  RevocationRepository,
  type AccountUpsert,
  type EndUserAccount,
} from '#domain/accounts';
import {
  ApiKeyRepository,
  ApplicationRepository,
  IdempotencyRepository,
  type ApplicationRef,
} from '#domain/applications';
import { ProviderChannelRepository } from '#domain/channels';
import { ConnectLinkRepository } from '#domain/connect-links';
import { PrivatePropertyStore } from '#domain/events';
import {
  AuthorizationRequestRepository,
  OAuthClientRepository,
  RedirectUrlRepository,
  SignInTestRepository,
} from '#domain/oauth';
import { AuditLog, OperatorSsoRepository } from '#domain/operator';
import { ProviderRateLimiter, ProviderConcurrencyLimiter } from '#domain/providers';
import { SyncSnapshotStore, SyncedCalendarRepository } from '#domain/sync';
import { UnitOfWork } from '#domain/system';
import { WebhookEndpointRepository, WebhookMessageRepository } from '#domain/webhooks';
import { Database, Housekeeping, KeyRing, PersistenceModule, type PersistenceOptions } from '#persistence';
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/postgres.js';

/** The ports on a database of their own. */
export interface Persistence {
  module: TestingModule;
  testDatabase: TestDatabase;
  database: Database;
  applications: ApplicationRepository;
  apiKeys: ApiKeyRepository;
  accounts: AccountRepository;
  credentials: CredentialRepository;
  privateProperties: PrivatePropertyStore;
  snapshots: SyncSnapshotStore;
  idempotency: IdempotencyRepository;
  audit: AuditLog;
  budget: ProviderRateLimiter;
  slots: ProviderConcurrencyLimiter;
  oauthClients: OAuthClientRepository;
  redirectUrls: RedirectUrlRepository;
  authorizationRequests: AuthorizationRequestRepository;
  connectLinks: ConnectLinkRepository;
  outbox: Outbox;
  revocations: RevocationRepository;
  signInTests: SignInTestRepository;
  ssoRequests: OperatorSsoRepository;
  health: CredentialCheckRepository;
  ledger: MassExpiryRepository;
  connectGuard: ConnectThrottle;
  endpoints: WebhookEndpointRepository;
  messages: WebhookMessageRepository;
  syncedCalendars: SyncedCalendarRepository;
  channels: ProviderChannelRepository;
  relay: OutboxRelay;
  unitOfWork: UnitOfWork;
  housekeeping: Housekeeping;
  newApplication(): Promise<ApplicationRef>;
  newAccount(application: ApplicationRef, given?: Partial<AccountUpsert>): Promise<EndUserAccount>;
  /** As superuser: past every wall. */
  admin<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export const KEY_ENTRY = KeyRing.generateEntry('k1');

export async function openPersistence(
  options: Partial<PersistenceOptions> & { testDatabase?: TestDatabase } = {},
): Promise<Persistence> {
  const { testDatabase: given, ...moduleOptions } = options;
  const testDatabase = given ?? (await createTestDatabase());
  const module = await Test.createTestingModule({
    imports: [
      PersistenceModule.forRoot({
        databaseUrl: testDatabase.url,
        keyRing: KeyRing.parse(KEY_ENTRY),
        ...moduleOptions,
      }),
    ],
  }).compile();
  module.enableShutdownHooks();
  await module.init();
  let accounts = 0;
  const persistence: Persistence = {
    module,
    testDatabase,
    database: module.get(Database),
    applications: module.get(ApplicationRepository),
    apiKeys: module.get(ApiKeyRepository),
    accounts: module.get(AccountRepository),
    credentials: module.get(CredentialRepository),
    privateProperties: module.get(PrivatePropertyStore),
    snapshots: module.get(SyncSnapshotStore),
    idempotency: module.get(IdempotencyRepository),
    audit: module.get(AuditLog),
    budget: module.get(ProviderRateLimiter),
    slots: module.get(ProviderConcurrencyLimiter),
    oauthClients: module.get(OAuthClientRepository),
    redirectUrls: module.get(RedirectUrlRepository),
    authorizationRequests: module.get(AuthorizationRequestRepository),
    connectLinks: module.get(ConnectLinkRepository),
    outbox: module.get(Outbox),
    revocations: module.get(RevocationRepository),
    signInTests: module.get(SignInTestRepository),
    ssoRequests: module.get(OperatorSsoRepository),
    health: module.get(CredentialCheckRepository),
    ledger: module.get(MassExpiryRepository),
    connectGuard: module.get(ConnectThrottle),
    endpoints: module.get(WebhookEndpointRepository),
    messages: module.get(WebhookMessageRepository),
    syncedCalendars: module.get(SyncedCalendarRepository),
    channels: module.get(ProviderChannelRepository),
    relay: module.get(OutboxRelay),
    unitOfWork: module.get(UnitOfWork),
    housekeeping: module.get(Housekeeping),
    newApplication: async () => ({ applicationId: (await persistence.applications.create({ name: 'acme' })).id }),
    newAccount: async (application, account = {}) => {
      const outcome = await persistence.accounts.upsert(application, {
        providerType: 'CALDAV',
        email: `user${(accounts += 1)}@example.org`,
        serverUrl: 'https://dav.example.org/',
        authorizedScopes: [],
        providerAccountId: null,
        providerState: {},
        ...account,
      });
      return outcome.account;
    },
    admin: (text, values) =>
      asAdmin(testDatabase.adminUrl, async (admin) => (await admin.query(text, values)).rows as never),
    close: async () => {
      await module.close();
      if (given === undefined) await testDatabase.drop();
    },
  };
  return persistence;
}
