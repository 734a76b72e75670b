import { Module, type DynamicModule } from '@nestjs/common';
import { CalendarLooks } from '#application';
import { WatchedCalendarRepository } from '#domain';
import type { Config } from '#platform';
import { DeliveryFeeder } from '../deliveries/delivery-feeder.js';
import { QueueDrain } from '../queue-drain.js';
import { LookPump, LookWakesProcessor } from './look-pump.js';

const SLOTS = 20;
const LEASE_MS = 12_000;
const SWEEP_MS = 1_000;

@Module({})
export class LooksModule {
  constructor(drain: QueueDrain, pump: LookPump, wakes: LookWakesProcessor) {
    for (const work of [pump, wakes]) drain.add(work);
  }

  /** @param deliveries the one `DeliveriesModule` of the process */
  static forRoot(
    deliveries: DynamicModule,
    { webhookCoalesceMs: coalesceMs }: Pick<Config, 'webhookCoalesceMs'>,
  ): DynamicModule {
    return {
      module: LooksModule,
      imports: [deliveries],
      providers: [
        LookWakesProcessor,
        {
          provide: LookPump,
          inject: [WatchedCalendarRepository, CalendarLooks, DeliveryFeeder],
          useFactory: (calendars: WatchedCalendarRepository, looks: CalendarLooks, feeder: DeliveryFeeder) =>
            new LookPump(calendars, looks, (messages) => feeder.told(messages), {
              slots: SLOTS,
              leaseMs: LEASE_MS,
              coalesceMs,
              sweepMs: SWEEP_MS,
            }),
        },
      ],
    };
  }
}
