import { Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import type { NewWebhookEndpoint, WebhookEndpoint } from '#domain/webhooks';
import { Egress, GuardedEgress } from '#egress';
import { KeyRing, PersistenceModule } from '#persistence';
import type { Config } from '#platform';
import { SigningSecret } from '#webhooks';
import { DeliveriesModule } from '../../apps/worker/src/deliveries/deliveries.module.js';
import { GracefulShutdown } from '../../apps/worker/src/graceful-shutdown.js';
import { QueuesModule } from '../../apps/worker/src/queues.module.js';
import { KEY_ENTRY, openPersistence, type Persistence } from '../persistence/persistence.js';
import { newSyncedCalendar, subscribe } from '../persistence/webhook-fixture.js';
import { startRedis, type RedisServer } from './redis.js';
import { WebhookReceiver } from './webhook-receiver.js';

/** The parts of a worker that deliver, in the process of the test. */
export interface DeliveringWorker {
  module: TestingModule;
  /** @param withinMs for what is under way */
  stop(withinMs?: number): Promise<void>;
}

/** Messages, where they go, and who brings them there. */
export interface DeliveryFixture {
  persistence: Persistence;
  receiver: WebhookReceiver;
  redis: RedisServer | null;
  /** What all endpoints sign with. */
  secret: string;
  startWorker(concurrency?: number): Promise<DeliveringWorker>;
  /** An endpoint of a calendar of its own, at this URL, unless told otherwise. */
  newEndpoint(url: string, given?: Partial<NewWebhookEndpoint>): Promise<WebhookEndpoint>;
  /** Lets leases and waits of messages be over, without waiting for them. */
  passTime(): Promise<void>;
  close(): Promise<void>;
}

export async function openDeliveryFixture(store: 'PostgreSQL' | 'Redis'): Promise<DeliveryFixture> {
  const redis = store === 'Redis' ? await startRedis() : null;
  const persistence = await openPersistence();
  const receiver = await WebhookReceiver.start();
  const secret = SigningSecret.generate().reveal();
  const workers = new Set<DeliveringWorker>();
  return {
    persistence,
    receiver,
    redis,
    secret,
    async startWorker(concurrency = 64) {
      const worker = await startWorker(persistence.testDatabase.url, redis, receiver.egressAllow, concurrency);
      const started = {
        ...worker,
        async stop(withinMs?: number) {
          if (workers.delete(started)) await worker.stop(withinMs);
        },
      };
      workers.add(started);
      return started;
    },
    newEndpoint: async (url, given = {}) =>
      subscribe(persistence, await newSyncedCalendar(persistence), {
        ...given,
        url,
        secrets: { active: secret, retiring: [] },
      }),
    passTime: async () => {
      await persistence.admin(
        "update webhook_message set leased_until = leased_until - interval '1 day', next_attempt_at = " +
          'least(next_attempt_at, now()), enqueue_at = least(enqueue_at, now()) where enqueue_at is not null',
      );
    },
    async close() {
      for (const worker of workers) await worker.stop(0);
      await receiver.close();
      await persistence.close();
      await redis?.stop();
    },
  };
}

async function startWorker(
  databaseUrl: string,
  redis: RedisServer | null,
  egressAllow: string,
  webhookConcurrency: number,
): Promise<DeliveringWorker> {
  const egress = new GuardedEgress({ allow: egressAllow });
  @Global()
  @Module({ providers: [{ provide: Egress, useValue: egress }], exports: [Egress] })
  class EgressModule {}
  const config = { webhookTransport: 'builtin', webhookConcurrency } as Config;
  const module = await Test.createTestingModule({
    imports: [
      PersistenceModule.forRoot({ databaseUrl, keyRing: KeyRing.parse(KEY_ENTRY) }),
      QueuesModule.forRoot({ databaseUrl, redisUrl: redis?.url }),
      EgressModule,
      DeliveriesModule.forRoot(config),
    ],
  }).compile();
  module.useLogger(false);
  await module.init();
  return {
    module,
    async stop(withinMs = 20_000) {
      await module.get(GracefulShutdown).drain(withinMs);
      await module.close();
      await egress.close();
    },
  };
}
