import { Module } from '@nestjs/common';
import { AccountEventRelay } from '#domain';
import { QueueDrain } from '../queue-drain.js';
import { AccountEventsPump } from './account-events-pump.js';

/** Tells applications what happened to their accounts. */
@Module({
  providers: [
    {
      provide: AccountEventsPump,
      inject: [AccountEventRelay],
      useFactory: (events: AccountEventRelay) => new AccountEventsPump(events, () => undefined),
    },
  ],
})
export class AccountEventsModule {
  constructor(drain: QueueDrain, pump: AccountEventsPump) {
    drain.add(pump);
  }
}
