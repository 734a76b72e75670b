import { Module, type DynamicModule } from '@nestjs/common';
import { EgressModule } from '#egress';
import { RedisPolicy, RedisPolicyModule } from '#jobs';
import { Database, KeyRing, PersistenceModule } from '#persistence';
import { HealthModule, LoggingModule, type Config } from '#platform';
import { ProvidersModule, trustedOrigins } from '#providers';
import { ApiModule } from './api.module.js';
import { ApplicationModule } from './application.module.js';
import { OperatorModule, OperatorServicesModule } from './operator/operator.module.js';
import { DatabaseQueue } from './overload/database-queue.js';

/** How long the database may take to answer a probe, milliseconds. */
const PING_TIMEOUT_MS = 2_000;

/** The API process. */
@Module({})
export class AppModule {
  /** @throws KeyRingError */
  static forRoot(config: Config): DynamicModule {
    const application = ApplicationModule.forRoot(config);
    return {
      module: AppModule,
      imports: [
        LoggingModule.forRoot({ service: 'api', level: config.logLevel }),
        PersistenceModule.forRoot({
          databaseUrl: config.databaseUrl,
          keyRing: KeyRing.parse(config.encryptionKeys),
          applicationName: 'unified-calendar api',
          poolSize: config.databasePoolSize,
        }),
        EgressModule.forRoot(config.egressAllow, [
          ...trustedOrigins(config.providers),
          config.svixServerUrl,
          config.oidcIssuer,
        ]),
        ProvidersModule.forRoot(config),
        HealthModule.forRoot({
          imports: [RedisPolicyModule.forRoot(config)],
          inject: [Database, { token: RedisPolicy, optional: true }],
          useFactory: (database: Database, redis?: RedisPolicy) => [
            { name: 'database', ping: () => database.ping(PING_TIMEOUT_MS) },
            ...(redis === undefined ? [] : [redis]),
          ],
        }),
        ApiModule.forRoot(config, [application]),
        OperatorModule.forRoot(config, [OperatorServicesModule.forRoot(config, [application])]),
      ],
      providers: [DatabaseQueue],
    };
  }
}
