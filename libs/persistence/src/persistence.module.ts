import {
  Inject,
  Logger,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import {
  AccountHealthRepository,
  AccountRepository,
  ApiKeyRepository,
  ApplicationRepository,
  AuditLog,
  Clock,
  ConnectGuard,
  CredentialRepository,
  GrantLedger,
  IdempotencyRepository,
  Ids,
  OAuthAttemptRepository,
  OAuthClientRepository,
  Outbox,
  PrivatePropertyStore,
  ProviderBudget,
  ProviderSlots,
  RedirectUrlRepository,
  RevocationRepository,
  SignInTestRepository,
  SyncSnapshotStore,
  UnitOfWork,
  UnreadableSecrets,
} from '#domain';
import { beforeScrape, gauge } from '#platform/telemetry';
import { SystemClock, UuidV7Ids } from './clock-and-ids.js';
import { Database, type DatabaseOptions } from './database/database.js';
import { SYSTEM } from './database/scope.js';
import { FieldCipher } from './encryption/field-cipher.js';
import { KeyRing } from './encryption/key-ring.js';
import { Housekeeping } from './housekeeping.js';
import { operatorProviders } from './operator-providers.js';
import { oversightProviders } from './oversight-providers.js';
import { SqlAccountHealthRepository } from './repositories/account-health.repository.js';
import { SqlAccountRepository } from './repositories/account.repository.js';
import { SqlApiKeyRepository } from './repositories/api-key.repository.js';
import { SqlApplicationRepository } from './repositories/application.repository.js';
import { SqlAuditLog } from './repositories/audit-log.js';
import { SqlConnectGuard } from './repositories/connect-guard.js';
import { SqlCredentialRepository } from './repositories/credential.repository.js';
import { SqlGrantLedger } from './repositories/grant-ledger.js';
import { SqlIdempotencyRepository } from './repositories/idempotency.repository.js';
import { SqlOAuthAttemptRepository } from './repositories/oauth-attempt.repository.js';
import { SqlOAuthClientRepository } from './repositories/oauth-client.repository.js';
import { SqlOutbox } from './repositories/outbox.js';
import { SqlPrivatePropertyStore } from './repositories/private-property.store.js';
import { SqlProviderBudget } from './repositories/provider-budget.js';
import { SqlProviderSlots } from './repositories/provider-slots.js';
import { SqlRedirectUrlRepository } from './repositories/redirect-url.repository.js';
import { SqlRevocationRepository } from './repositories/revocation.repository.js';
import { SqlSignInTestRepository } from './repositories/sign-in-test.repository.js';
import { SqlSyncSnapshotStore } from './repositories/sync-snapshot.store.js';
import { SqlUnreadableSecrets } from './repositories/unreadable-secrets.js';
import { verifySchema } from './schema.js';
import { SqlUnitOfWork } from './unit-of-work.js';
import { webhookProviders } from './webhook-providers.js';

export interface PersistenceOptions extends Omit<DatabaseOptions, 'onConnectionError'> {
  keyRing: KeyRing;
  /** Refuse to boot on a schema that this build cannot run on. Default true. */
  verifySchema?: boolean;
  /** Default 365. */
  auditRetentionDays?: number;
  /** Default 14. */
  requestLogDays?: number;
  /** Default: the system's. */
  clock?: Clock;
  /** Default: UUIDv7. */
  ids?: Ids;
}

const connections = gauge('calendar_database_connections');
const mostConnections = gauge('calendar_database_connections_max');

const OPTIONS = Symbol('PersistenceOptions');
const AUDIT_RETENTION_DAYS = 365;
const REQUEST_LOG_DAYS = 14;

/** Implements the ports of the domain on PostgreSQL. Global: import it once, in the root module. */
@Module({})
export class PersistenceModule implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(PersistenceModule.name);
  private readonly endMeasuring = beforeScrape(() => this.measureConnections());

  constructor(
    @Inject(OPTIONS) private readonly options: PersistenceOptions,
    private readonly database: Database,
  ) {}

  static forRoot(options: PersistenceOptions): DynamicModule {
    const providers = persistenceProviders(options);
    return {
      module: PersistenceModule,
      global: true,
      providers: [{ provide: OPTIONS, useValue: options }, ...providers],
      exports: providers.map(({ provide }) => provide),
    };
  }

  /** @throws SchemaMismatch, DatabaseUnavailable */
  async onModuleInit(): Promise<void> {
    if (this.options.verifySchema === false) return;
    await verifySchema(this.options.databaseUrl, this.options.connectTimeoutMs ?? 2_000);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.options.verifySchema === false) return;
    if (!(await this.database.isBoundByRowLevelSecurity(SYSTEM))) {
      this.logger.warn('The database role passes row-level security: grant it no BYPASSRLS, or the right to SET ROLE');
    }
  }

  /** After the servers have stopped taking requests. */
  async onApplicationShutdown(): Promise<void> {
    this.endMeasuring();
    await this.database.close();
  }

  private measureConnections(): void {
    const { most, ...counts } = this.database.usage();
    for (const state of ['used', 'idle', 'waiting'] as const) connections.set(counts[state], { state });
    mostConnections.set(most);
  }
}

function persistenceProviders(options: PersistenceOptions) {
  const logger = new Logger(Database.name);
  return [
    { provide: Clock, useFactory: () => options.clock ?? new SystemClock() },
    { provide: Ids, useFactory: () => options.ids ?? new UuidV7Ids() },
    { provide: KeyRing, useFactory: () => options.keyRing },
    { provide: FieldCipher, useFactory: () => new FieldCipher(options.keyRing) },
    {
      provide: Database,
      useFactory: () =>
        new Database({
          ...options,
          onConnectionError: (error) => logger.warn(`A database connection broke: ${error.message}`),
        }),
    },
    { provide: UnitOfWork, inject: [Database], useFactory: (database: Database) => new SqlUnitOfWork(database) },
    {
      provide: ApplicationRepository,
      inject: [Database, Ids, Clock],
      useFactory: (database: Database, ids: Ids, clock: Clock) => new SqlApplicationRepository(database, ids, clock),
    },
    {
      provide: ApiKeyRepository,
      inject: [Database, Clock],
      useFactory: (database: Database, clock: Clock) => new SqlApiKeyRepository(database, clock),
    },
    {
      provide: AccountRepository,
      inject: [Database, Ids, Clock],
      useFactory: (database: Database, ids: Ids, clock: Clock) => new SqlAccountRepository(database, ids, clock),
    },
    {
      provide: CredentialRepository,
      inject: [Database, FieldCipher, Ids, Clock],
      useFactory: (database: Database, cipher: FieldCipher, ids: Ids, clock: Clock) =>
        new SqlCredentialRepository(database, cipher, ids, clock),
    },
    {
      provide: PrivatePropertyStore,
      inject: [Database, FieldCipher, Ids, Clock],
      useFactory: (database: Database, cipher: FieldCipher, ids: Ids, clock: Clock) =>
        new SqlPrivatePropertyStore(database, cipher, ids, clock),
    },
    {
      provide: SyncSnapshotStore,
      inject: [Database, Ids, Clock],
      useFactory: (database: Database, ids: Ids, clock: Clock) => new SqlSyncSnapshotStore(database, ids, clock),
    },
    {
      provide: IdempotencyRepository,
      inject: [Database, FieldCipher, Ids],
      useFactory: (database: Database, cipher: FieldCipher, ids: Ids) =>
        new SqlIdempotencyRepository(database, cipher, ids, options.keyRing),
    },
    {
      provide: AuditLog,
      inject: [Database, Ids, Clock],
      useFactory: (database: Database, ids: Ids, clock: Clock) => new SqlAuditLog(database, ids, clock),
    },
    {
      provide: ProviderBudget,
      inject: [Database],
      useFactory: (database: Database) => new SqlProviderBudget(database),
    },
    {
      provide: ProviderSlots,
      inject: [Database],
      useFactory: (database: Database) => new SqlProviderSlots(database),
    },
    {
      provide: OAuthClientRepository,
      inject: [Database, FieldCipher, Ids, Clock],
      useFactory: (database: Database, cipher: FieldCipher, ids: Ids, clock: Clock) =>
        new SqlOAuthClientRepository(database, cipher, ids, clock),
    },
    {
      provide: RedirectUrlRepository,
      inject: [Database, Ids, Clock],
      useFactory: (database: Database, ids: Ids, clock: Clock) => new SqlRedirectUrlRepository(database, ids, clock),
    },
    {
      provide: OAuthAttemptRepository,
      inject: [Database, FieldCipher, Ids, Clock],
      useFactory: (database: Database, cipher: FieldCipher, ids: Ids, clock: Clock) =>
        new SqlOAuthAttemptRepository(database, cipher, ids, clock),
    },
    {
      provide: SignInTestRepository,
      inject: [Database, Ids, Clock],
      useFactory: (database: Database, ids: Ids, clock: Clock) => new SqlSignInTestRepository(database, ids, clock),
    },
    {
      provide: Outbox,
      inject: [Database, Ids],
      useFactory: (database: Database, ids: Ids) => new SqlOutbox(database, ids),
    },
    {
      provide: RevocationRepository,
      inject: [Database, FieldCipher, Ids],
      useFactory: (database: Database, cipher: FieldCipher, ids: Ids) =>
        new SqlRevocationRepository(database, cipher, ids),
    },
    {
      provide: AccountHealthRepository,
      inject: [Database],
      useFactory: (database: Database) => new SqlAccountHealthRepository(database),
    },
    {
      provide: GrantLedger,
      inject: [Database],
      useFactory: (database: Database) => new SqlGrantLedger(database),
    },
    {
      provide: ConnectGuard,
      inject: [Database, Ids],
      useFactory: (database: Database, ids: Ids) => new SqlConnectGuard(database, ids, options.keyRing),
    },
    {
      provide: UnreadableSecrets,
      inject: [Database, FieldCipher],
      useFactory: (database: Database, cipher: FieldCipher) => new SqlUnreadableSecrets(database, cipher),
    },
    ...webhookProviders(),
    ...operatorProviders(),
    ...oversightProviders(),
    {
      provide: Housekeeping,
      inject: [Database, Clock],
      useFactory: (database: Database, clock: Clock) =>
        new Housekeeping(database, clock, {
          auditDays: options.auditRetentionDays ?? AUDIT_RETENTION_DAYS,
          requestLogDays: options.requestLogDays ?? REQUEST_LOG_DAYS,
        }),
    },
  ];
}
