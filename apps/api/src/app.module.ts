import {
  Injectable,
  Module,
  Optional,
  type DynamicModule,
  type OnModuleInit,
  type ValueProvider,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { AdminModule, OperatorSettings } from '#application/operator';
import { applicationSettings } from '#application/system';
import { EgressModule } from '#egress';
import { SyncWakeupModule, QueueMonitorModule, RedisPolicy, RedisPolicyModule } from '#jobs';
import { Database, KeyRing, PersistenceModule } from '#persistence';
import {
  ConfigModule,
  HealthModule,
  LoggingModule,
  ReadinessChecks,
  type Config,
  type ReadinessCheck,
} from '#platform';
import { ProvidersModule, trustedOrigins } from '#providers';
import { transportSettings } from '#webhooks';
import { ApiModule } from './api.module.js';
import { ApplicationModule } from './application.module.js';
import { OperatorModule } from './operator/operator.module.js';
import { SetupLink } from './operator/setup-link.js';
import { IdentityProviderModule } from './operator/sso/identity-provider.module.js';
import type { ApiHttpAdapter } from './http/api-http-adapter.js';

const PING_TIMEOUT_MS = 2_000;

@Injectable()
class ApiChecks extends ReadinessChecks {
  override readonly all: ReadinessCheck[];

  constructor(database: Database, @Optional() redis?: RedisPolicy) {
    super();
    this.all = [
      { name: 'database', ping: () => database.ping(PING_TIMEOUT_MS) },
      ...(redis === undefined ? [] : [redis]),
    ];
  }
}

/** Requests are shed, too, while they wait for the connections to the database, which all of them share. */
@Injectable()
class DatabaseSaturation implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost<ApiHttpAdapter>,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.host.httpAdapter.shedder.watchWait(() => this.database.queueMs());
  }
}

@Module({})
export class AppModule {
  /** @throws KeyRingError */
  static forRoot(config: Config): DynamicModule {
    const { databaseUrl, redisUrl = null } = config;
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config, [
          ...applicationSettings(config),
          operatorSettings(config),
          transportSettings(config),
        ]),
        LoggingModule.forRoot({ service: 'api', level: config.logLevel }),
        PersistenceModule.forRoot({
          databaseUrl,
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
        HealthModule.forRoot(ApiChecks, [RedisPolicyModule.forRoot(config)]),
        SyncWakeupModule.forRoot({ databaseUrl, redisUrl }),
        QueueMonitorModule.forRoot({ databaseUrl, redisUrl }),
        IdentityProviderModule.forRoot(config),
        AdminModule,
        ApiModule.forRoot(config, [ApplicationModule]),
        ...(config.operatorUrl === null ? [] : [OperatorModule.forRoot(config, [ApplicationModule, AdminModule])]),
      ],
      providers: [DatabaseSaturation, ...(config.operatorUrl === null ? [] : [SetupLink])],
    };
  }
}

const MINUTE_MS = 60_000;

export function operatorSettings(config: Config): ValueProvider<OperatorSettings> {
  return {
    provide: OperatorSettings,
    useValue: {
      operatorUrl: config.operatorUrl ?? config.publicUrl,
      traceUrl: config.traceUrl ?? null,
      sessionIdleMs: config.operatorSessionIdleMinutes * MINUTE_MS,
      sessionMs: config.operatorSessionMaxHours * 60 * MINUTE_MS,
      hasPasswords: config.operatorPasswords === 'on',
    },
  };
}
