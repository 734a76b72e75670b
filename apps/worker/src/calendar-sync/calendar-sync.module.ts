import { Module, type DynamicModule } from '@nestjs/common';
import { CalendarSyncService } from '#application/sync';
import { UsageModule } from '#application/usage';
import { SyncedCalendarRepository } from '#domain/sync';
import type { Config } from '#platform';
import { DeliveryEnqueuer } from '../deliveries/delivery-enqueuer.js';
import { GracefulShutdown } from '../graceful-shutdown.js';
import { ReadingPlansProcessor } from '../scheduled.processors.js';
import { CalendarSyncRunner, CalendarSyncProcessor } from './calendar-sync-runner.js';

const SLOTS = 20;
const LEASE_MS = 12_000;
const PERIOD_MS = 1_000;

@Module({})
export class CalendarSyncModule {
  constructor(
    drain: GracefulShutdown,
    runner: CalendarSyncRunner,
    wakes: CalendarSyncProcessor,
    plans: ReadingPlansProcessor,
  ) {
    for (const work of [runner, wakes, plans]) drain.add(work);
  }

  /** @param deliveries the one `DeliveriesModule` of the process */
  static forRoot(
    deliveries: DynamicModule,
    { webhookCoalesceMs: coalesceMs }: Pick<Config, 'webhookCoalesceMs'>,
  ): DynamicModule {
    return {
      module: CalendarSyncModule,
      imports: [deliveries, UsageModule],
      providers: [
        CalendarSyncProcessor,
        ReadingPlansProcessor,
        {
          provide: CalendarSyncRunner,
          inject: [SyncedCalendarRepository, CalendarSyncService, DeliveryEnqueuer],
          useFactory: (calendars: SyncedCalendarRepository, syncs: CalendarSyncService, enqueuer: DeliveryEnqueuer) =>
            new CalendarSyncRunner(calendars, syncs, (messages) => enqueuer.onNewMessages(messages), {
              slots: SLOTS,
              leaseMs: LEASE_MS,
              coalesceMs,
              periodMs: PERIOD_MS,
            }),
        },
      ],
    };
  }
}
