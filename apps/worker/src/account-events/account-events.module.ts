import { Module, type DynamicModule } from '@nestjs/common';
import { QueueDrain } from '../queue-drain.js';
import { AccountEventsProcessor } from './account-events.processor.js';

/** Tells applications what happened to their accounts. */
@Module({ providers: [AccountEventsProcessor] })
export class AccountEventsModule {
  constructor(drain: QueueDrain, processor: AccountEventsProcessor) {
    drain.add(processor);
  }

  /** @param deliveries `DeliveriesModule`, the very one that the process has */
  static forRoot(deliveries: DynamicModule): DynamicModule {
    return { module: AccountEventsModule, imports: [deliveries] };
  }
}
