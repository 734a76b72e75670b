import { Processor } from '@nestjs/bullmq';
import { Deliveries, type Lane } from '#application';
import {
  WORKER_OPTIONS,
  webhookDeliveries,
  webhookRedeliveries,
  type DeliveriesPayload,
  type JobDefinition,
} from '#jobs';
import type { Task } from '#platform/telemetry';
import { JobProcessor, type FailedJobFacts } from '../job-processor.js';

/** Jobs in hand. They are done when their attempts have begun: how many of these run at a time is decided elsewhere. */
const OPTIONS = { ...WORKER_OPTIONS, concurrency: 32 };

abstract class DeliveriesProcessor extends JobProcessor<DeliveriesPayload> {
  constructor(
    private readonly deliveries: Deliveries,
    definition: JobDefinition<DeliveriesPayload>,
    private readonly lane: Lane,
    task: Task,
  ) {
    super(definition, task);
  }

  protected override async run({ messages }: DeliveriesPayload): Promise<void> {
    const begun = await Promise.allSettled(messages.map((message) => this.deliveries.begin(message, this.lane)));
    const failed = begun.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  protected override logFailure(failure: FailedJobFacts, willBeRetried: boolean): void {
    if (willBeRetried) this.logger.warn({ msg: 'deliveries could not be claimed: the job is retried', ...failure });
    else this.logger.error({ msg: 'deliveries failed', ...failure });
  }
}

@Processor(webhookDeliveries.queue, OPTIONS)
export class FirstDeliveriesProcessor extends DeliveriesProcessor {
  constructor(deliveries: Deliveries) {
    super(deliveries, webhookDeliveries, 'first', 'deliver');
  }
}

@Processor(webhookRedeliveries.queue, OPTIONS)
export class RepeatedDeliveriesProcessor extends DeliveriesProcessor {
  constructor(deliveries: Deliveries) {
    super(deliveries, webhookRedeliveries, 'repeated', 'deliver-again');
  }
}
