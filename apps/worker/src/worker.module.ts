import { Injectable, Module, Optional, type DynamicModule } from '@nestjs/common';
import { applicationSettings } from '#application/system';
import { WebhooksModule } from '#application/webhooks';
import { EgressModule } from '#egress';
import { SyncWakeupModule, RedisPolicy, RedisPolicyModule } from '#jobs';
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
import { AccountEventsModule } from './outbox/outbox.module.js';
import { AccountMaintenanceModule } from './accounts/account-maintenance.module.js';
import { ChannelsModule } from './channels/channel-reconcile.task.js';
import { SampledMetricsModule } from './metrics/sampled-metrics.js';
import { CalendarSyncModule } from './calendar-sync/calendar-sync.module.js';
import { DeliveriesModule } from './deliveries/deliveries.module.js';
import { QueuesModule } from './queues.module.js';
import { JobSchedulers } from './job-schedulers.js';

/** Below the two seconds of the Kubernetes probe. */
const PING_TIMEOUT_MS = 1_500;

@Injectable()
class WorkerChecks extends ReadinessChecks {
  override readonly all: ReadinessCheck[];

  constructor(database: Database, schedules: JobSchedulers, @Optional() redis?: RedisPolicy) {
    super();
    this.all = [
      { name: 'database', ping: () => database.ping(PING_TIMEOUT_MS) },
      { name: 'queue', ping: () => schedules.ping() },
      ...(redis === undefined ? [] : [redis]),
    ];
  }
}

@Module({})
export class WorkerModule {
  static forRoot(config: Config): DynamicModule {
    const { databaseUrl, redisUrl = null, encryptionKeys, databasePoolSize, logLevel, requestHistoryDays } = config;
    const deliveries = DeliveriesModule.forRoot(config);
    return {
      module: WorkerModule,
      imports: [
        ConfigModule.forRoot(config, [...applicationSettings(config), transportSettings(config)]),
        LoggingModule.forRoot({ service: 'worker', level: logLevel }),
        PersistenceModule.forRoot({
          databaseUrl,
          keyRing: KeyRing.parse(encryptionKeys),
          applicationName: 'unified-calendar worker',
          poolSize: databasePoolSize,
          requestHistoryDays,
        }),
        EgressModule.forRoot(config.egressAllow, [...trustedOrigins(config.providers), config.svixServerUrl]),
        ProvidersModule.forRoot(config),
        QueuesModule.forRoot(config),
        AccountMaintenanceModule,
        WebhooksModule,
        SyncWakeupModule.forRoot({ databaseUrl, redisUrl }),
        CalendarSyncModule.forRoot(deliveries, config),
        AccountEventsModule.forRoot(deliveries),
        ChannelsModule,
        SampledMetricsModule.forRoot(config),
        deliveries,
        HealthModule.forRoot(WorkerChecks, [RedisPolicyModule.forRoot(config)]),
      ],
    };
  }
}
