import { Module, type DynamicModule } from '@nestjs/common';
import { Processor } from '@nestjs/bullmq';
import { OutboxRelay } from '#domain/accounts';
import { accountEvents, WORKER_OPTIONS } from '#jobs';
import { accountMessage } from '#webhooks';
import { GracefulShutdown } from '../graceful-shutdown.js';
import { DeliveryEnqueuer } from '../deliveries/delivery-enqueuer.js';
import { JobProcessor, type FailedJobFacts } from '../job-processor.js';

const RELAYED_AT_ONCE = 100;

@Processor(accountEvents.queue, { ...WORKER_OPTIONS, concurrency: 1 })
export class AccountEventsProcessor extends JobProcessor<Record<string, never>> {
  constructor(
    private readonly events: OutboxRelay,
    private readonly enqueuer: DeliveryEnqueuer,
  ) {
    super(accountEvents, 'relay_outbox');
  }

  protected override async run(): Promise<void> {
    for (;;) {
      const count = await this.events.relay(RELAYED_AT_ONCE, accountMessage);
      if (count > 0) this.enqueuer.wake();
      if (count < RELAYED_AT_ONCE) return;
    }
  }

  /** The next run relays the same events. */
  protected override logFailure({ err }: FailedJobFacts): void {
    this.logger.warn({ msg: 'account event publication deferred', err });
  }
}

@Module({ providers: [AccountEventsProcessor] })
export class AccountEventsModule {
  constructor(drain: GracefulShutdown, processor: AccountEventsProcessor) {
    drain.add(processor);
  }

  /** @param deliveries the one `DeliveriesModule` of the process */
  static forRoot(deliveries: DynamicModule): DynamicModule {
    return { module: AccountEventsModule, imports: [deliveries] };
  }
}
