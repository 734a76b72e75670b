import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { PrivatePropertyStore } from '#domain/events';
import { CalendarProviders, ProviderRateLimiter, ProviderConcurrencyLimiter } from '#domain/providers';
import { SyncSnapshotStore } from '#domain/sync';
import { Clock } from '#domain/system';
import { Egress } from '#egress';
import type { Config } from '#platform';
import { KeptReads, UnreadableObjects } from '#providers/kit/definition';
import { registerProviders } from '#platform/telemetry';
import { createProviders, PROVIDER_TYPES } from './providers.js';

class LoggedUnreadableObjects extends UnreadableObjects {
  private readonly logger = new Logger('Providers');

  override report(object: Parameters<UnreadableObjects['report']>[0]): void {
    this.logger.warn(object, 'a calendar object cannot be read');
  }
}

@Module({})
export class ProvidersModule {
  static forRoot(config: Config): DynamicModule {
    registerProviders(PROVIDER_TYPES);
    return {
      module: ProvidersModule,
      global: true,
      providers: [
        {
          provide: CalendarProviders,
          inject: [
            Egress,
            ProviderRateLimiter,
            ProviderConcurrencyLimiter,
            PrivatePropertyStore,
            SyncSnapshotStore,
            Clock,
          ],
          useFactory: (
            egress: Egress,
            budget: ProviderRateLimiter,
            slots: ProviderConcurrencyLimiter,
            privateProperties: PrivatePropertyStore,
            snapshots: SyncSnapshotStore,
            clock: Clock,
          ) =>
            createProviders(
              {
                egress,
                budget,
                slots,
                privateProperties,
                snapshots,
                reads: new KeptReads(),
                unreadable: new LoggedUnreadableObjects(),
                timeoutMs: config.providerTimeoutMs,
                nowMs: () => clock.nowMs(),
              },
              config.providers,
            ),
        },
      ],
      exports: [CalendarProviders],
    };
  }
}
