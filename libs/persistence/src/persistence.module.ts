import {
  Inject,
  Logger,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { Clock, IdGenerator, Timer } from '#domain/system';
import { beforeScrape, gauge } from '#platform/telemetry';
import { SystemClock, SystemTimer, UuidV7Generator } from './clock-and-ids.js';
import { Database, DATABASE_OPTIONS, type DatabaseOptions } from './database/database.js';
import { DatabaseUnavailable } from './database/database-errors.js';
import { EntityManagers } from './database/entity-managers.js';
import { SYSTEM } from './database/scope.js';
import { FieldCipher, KeyRing } from './encryption/field-cipher.js';
import { Housekeeping, RETENTION, type Retention } from './housekeeping.js';
import { REPOSITORIES } from './repositories/providers.js';
import { verifySchema } from './schema.js';

export interface PersistenceOptions extends Omit<DatabaseOptions, 'onConnectionError'> {
  keyRing: KeyRing;
  /** Default true. */
  verifySchema?: boolean;
  auditRetentionDays?: number;
  requestHistoryDays?: number;
  clock?: Clock;
  ids?: IdGenerator;
}

const connections = gauge('calendar_database_connections');
const maxConnections = gauge('calendar_database_connections_max');

const OPTIONS = Symbol('PersistenceOptions');
const AUDIT_RETENTION_DAYS = 365;
const REQUEST_HISTORY_DAYS = 14;

/** Global: import it once, in the root module. */
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
      exports: providers.map((provider) => ('provide' in provider ? provider.provide : provider)),
    };
  }

  /** @throws SchemaMismatch, DatabaseUnavailable */
  async onModuleInit(): Promise<void> {
    if (this.options.verifySchema === false) return;
    await verifySchema(this.options.databaseUrl, this.options.connectTimeoutMs ?? 2_000);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.options.verifySchema === false) return;
    try {
      if (await this.database.isBoundByRowLevelSecurity(SYSTEM)) return;
      this.logger.warn('The database role passes row-level security: grant it no BYPASSRLS, or the right to SET ROLE');
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      // A busy database does not end a start. The readiness of the process shows when it answers.
      this.logger.warn({ msg: 'could not check that row-level security binds the database role', err: error });
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.endMeasuring();
    await this.database.close();
  }

  private measureConnections(): void {
    const { most, ...counts } = this.database.usage();
    for (const state of ['used', 'idle', 'waiting'] as const) connections.set(counts[state], { state });
    maxConnections.set(most);
  }
}

function persistenceProviders(options: PersistenceOptions) {
  const logger = new Logger(Database.name);
  const databaseOptions: DatabaseOptions = {
    ...options,
    onConnectionError: (error) => logger.warn(`A database connection broke: ${error.message}`),
  };
  const retention: Retention = {
    auditDays: options.auditRetentionDays ?? AUDIT_RETENTION_DAYS,
    requestHistoryDays: options.requestHistoryDays ?? REQUEST_HISTORY_DAYS,
  };
  return [
    { provide: DATABASE_OPTIONS, useValue: databaseOptions },
    { provide: RETENTION, useValue: retention },
    { provide: Timer, useClass: SystemTimer },
    { provide: Clock, useValue: options.clock ?? new SystemClock() },
    { provide: IdGenerator, useValue: options.ids ?? new UuidV7Generator() },
    { provide: KeyRing, useValue: options.keyRing },
    FieldCipher,
    Database,
    EntityManagers,
    Housekeeping,
    ...REPOSITORIES,
  ];
}
