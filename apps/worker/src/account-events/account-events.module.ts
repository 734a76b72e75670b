import { Module, type DynamicModule } from '@nestjs/common';
import { AccountEventRelay } from '#domain';
import { DeliveryFeeder } from '../deliveries/delivery-feeder.js';
import { QueueDrain } from '../queue-drain.js';
import { AccountEventsPump } from './account-events-pump.js';

/** Tells applications what happened to their accounts. */
@Module({})
export class AccountEventsModule {
  constructor(drain: QueueDrain, pump: AccountEventsPump) {
    drain.add(pump);
  }

  /** @param deliveries `DeliveriesModule`, the very one that the process has */
  static forRoot(deliveries: DynamicModule): DynamicModule {
    return {
      module: AccountEventsModule,
      imports: [deliveries],
      providers: [
        {
          provide: AccountEventsPump,
          inject: [AccountEventRelay, DeliveryFeeder],
          useFactory: (events: AccountEventRelay, feeder: DeliveryFeeder) =>
            new AccountEventsPump(events, () => feeder.wake()),
        },
      ],
    };
  }
}
