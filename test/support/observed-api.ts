import { Module, type DynamicModule } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { applicationSettings } from '#application/system';
import { EgressModule } from '#egress';
import { SyncWakeupModule } from '#jobs';
import { KeyRing, PersistenceModule, type Scope } from '#persistence';
import { ConfigModule, HealthModule, loadConfig, LoggingModule, ServiceState, type Config } from '#platform';
import { PROVIDERS, ProvidersModule, trustedOrigins } from '#providers';
import { transportSettings } from '#webhooks';
import { ApiModule } from '../../apps/api/src/api.module.js';
import { ApplicationModule } from '../../apps/api/src/application.module.js';
import { createApp } from '../../apps/api/src/create-app.js';
import { createTestDatabase, type TestDatabase } from './postgres.js';

/** A statement, and whose rows it was allowed to see. */
export interface ObservedStatement {
  text: string;
  values: unknown[];
  scope: Scope;
}

/** The API with its real parts, in this process, so that every statement and every line of the log can be seen. */
export interface ObservedApi {
  app: NestExpressApplication;
  baseUrl: string;
  database: TestDatabase;
  /** Its `ENCRYPTION_KEYS`. */
  encryptionKeys: string;
  /** All that were sent to the database since the start. */
  statements: ObservedStatement[];
  logLines: string[];
  stop(): Promise<void>;
}

/** @param settings environment of the api on top of what it needs */
export async function startObservedApi(settings: NodeJS.ProcessEnv = {}): Promise<ObservedApi> {
  const database = await createTestDatabase();
  const encryptionKeys = KeyRing.generateEntry('test');
  const config = loadConfig(PROVIDERS, {
    DATABASE_URL: database.url,
    ENCRYPTION_KEYS: encryptionKeys,
    // Many suites share a machine: who is late there has not too much to do.
    OVERLOAD_TARGET_DELAY_MS: '0',
    ...settings,
  });
  const statements: ObservedStatement[] = [];
  const logLines: string[] = [];
  const app = await createApp(ObservedModule.forRoot(config, statements, logLines), config);
  await app.listen(0, '127.0.0.1');
  app.get(ServiceState).started();
  return {
    app,
    baseUrl: await app.getUrl(),
    database,
    encryptionKeys,
    statements,
    logLines,
    async stop() {
      await app.close();
      await database.drop();
    },
  };
}

@Module({})
class ObservedModule {
  static forRoot(config: Config, statements: ObservedStatement[], logLines: string[]): DynamicModule {
    return {
      module: ObservedModule,
      imports: [
        ConfigModule.forRoot(config, [...applicationSettings(config), transportSettings(config)]),
        LoggingModule.forRoot({
          service: 'api',
          level: 'info',
          destination: { write: (line) => void logLines.push(line) },
        }),
        PersistenceModule.forRoot({
          databaseUrl: config.databaseUrl,
          keyRing: KeyRing.parse(config.encryptionKeys),
          onStatement: ({ text, values = [] }, scope) => void statements.push({ text, values, scope }),
        }),
        EgressModule.forRoot(config.egressAllow, trustedOrigins(config.providers)),
        ProvidersModule.forRoot(config),
        HealthModule.forRoot(),
        SyncWakeupModule.forRoot({ databaseUrl: config.databaseUrl, redisUrl: config.redisUrl ?? null }),
        ApiModule.forRoot(config, [ApplicationModule]),
      ],
    };
  }
}
