import { BullModule } from '@nestjs/bullmq';
import { Module, type DynamicModule } from '@nestjs/common';
import { DeliveryDispatcher } from '#application/webhooks';
import { Clock } from '#domain/system';
import { WebhookEndpointRepository, WebhookMessageRepository } from '#domain/webhooks';
import { Egress } from '#egress';
import { webhookDelivery, webhookRetry } from '#jobs';
import type { Config } from '#platform';
import { webhookTransport, WebhookTransport } from '#webhooks';
import { GracefulShutdown } from '../graceful-shutdown.js';
import { FirstDeliveriesProcessor, RepeatedDeliveriesProcessor, DeliveryEnqueuer } from './delivery-enqueuer.js';

@Module({})
export class DeliveriesModule {
  constructor(
    drain: GracefulShutdown,
    enqueuer: DeliveryEnqueuer,
    deliveries: DeliveryDispatcher,
    first: FirstDeliveriesProcessor,
    repeated: RepeatedDeliveriesProcessor,
  ) {
    drain.add({
      async stop(late) {
        const closed = [first, repeated].map((processor) => processor.stop(late));
        deliveries.close();
        await Promise.all([enqueuer.stop(), ...closed]);
        await deliveries.end(late);
      },
    });
  }

  static forRoot(config: Config): DynamicModule {
    return {
      module: DeliveriesModule,
      imports: [BullModule.registerQueue({ name: webhookDelivery.queue }, { name: webhookRetry.queue })],
      providers: [
        DeliveryEnqueuer,
        FirstDeliveriesProcessor,
        RepeatedDeliveriesProcessor,
        {
          provide: WebhookTransport,
          inject: [Egress, Clock],
          useFactory: (egress: Egress, clock: Clock) =>
            webhookTransport(config, { egress, nowMs: () => clock.nowMs() }),
        },
        {
          provide: DeliveryDispatcher,
          inject: [WebhookMessageRepository, WebhookEndpointRepository, WebhookTransport, Clock],
          useFactory: (
            messages: WebhookMessageRepository,
            endpoints: WebhookEndpointRepository,
            transport: WebhookTransport,
            clock: Clock,
          ) =>
            new DeliveryDispatcher(messages, endpoints, transport, clock, {
              concurrency: config.webhookConcurrency,
              random: Math.random,
            }),
        },
      ],
      exports: [DeliveryEnqueuer],
    };
  }
}
