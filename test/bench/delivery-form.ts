/**
 * A worker that delivers in one of two forms, for delivery-forms.bench.ts: as the service does it, or with one BullMQ
 * job for each message, whose processor makes the attempt. Claims and outcomes are the same statements in both.
 */
import 'reflect-metadata';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { DelayedError, Queue, UnrecoverableError, Worker, type Job } from 'bullmq';
import {
  WebhookMessageRepository,
  type AttemptClaim,
  type AttemptOutcome,
  type EndedAttempt,
  type QueuedMessage,
} from '#domain/webhooks';
import { Egress, GuardedEgress } from '#egress';
import { chooseQueueBackend, WORKER_OPTIONS } from '#jobs';
import { KeyRing, PersistenceModule } from '#persistence';
import type { Config } from '#platform';
import { messageIdOf, retryDelayMs, secretsFrom, classifyAttempt, WebhookSender } from '#webhooks';
import { Batcher } from '../../libs/application/src/system/batcher.js';
import { ROOT } from '../support/entry-points.js';

export interface FormSettings {
  form: 'rows' | 'jobs';
  databaseUrl: string;
  redisUrl: string | null;
  encryptionKey: string;
  egressAllow: string;
}

/** What the parent says: these messages were written. `isNew`: just now, by this process. */
export interface Written {
  messages: QueuedMessage[];
  isNew: boolean;
}

const CONCURRENCY = 128;
const PER_ENDPOINT = 6;
const LEASE = { leaseMs: 10_000, aheadMs: 1_000 };
const GATHERED = { everyMs: 0, maxItems: 100_000 };

const settings = JSON.parse(process.argv[2] ?? '') as FormSettings;
const egress = new GuardedEgress({ allow: settings.egressAllow });
const persistence = PersistenceModule.forRoot({
  databaseUrl: settings.databaseUrl,
  keyRing: KeyRing.parse(settings.encryptionKey),
});
const onWritten = await (settings.form === 'rows' ? startRows() : startJobs());
process.on('message', (written: Written) => void onWritten(written));
process.send?.('ready');

type OnWritten = (written: Written) => Promise<void> | void;

/** The modules of the service. */
async function startRows(): Promise<OnWritten> {
  const { DeliveriesModule } = (await import(
    join(ROOT, 'dist/apps/worker/src/deliveries/deliveries.module.js')
  )) as typeof import('../../apps/worker/src/deliveries/deliveries.module.js');
  const { DeliveryEnqueuer } = (await import(
    join(ROOT, 'dist/apps/worker/src/deliveries/delivery-enqueuer.js')
  )) as typeof import('../../apps/worker/src/deliveries/delivery-enqueuer.js');
  const { QueuesModule } = (await import(
    join(ROOT, 'dist/apps/worker/src/queues.module.js')
  )) as typeof import('../../apps/worker/src/queues.module.js');
  class EgressModule {}
  Module({ providers: [{ provide: Egress, useValue: egress }], exports: [Egress] })(EgressModule);
  Global()(EgressModule);
  const config = { webhookTransport: 'builtin', webhookConcurrency: CONCURRENCY / 2 } as Config;
  const module = await Test.createTestingModule({
    imports: [
      persistence,
      QueuesModule.forRoot({ databaseUrl: settings.databaseUrl, redisUrl: settings.redisUrl ?? undefined }),
      EgressModule,
      DeliveriesModule.forRoot(config),
    ],
  }).compile();
  module.useLogger(false);
  await module.init();
  const enqueuer = module.get(DeliveryEnqueuer);
  return ({ messages, isNew }) => (isNew ? enqueuer.onNewMessages(messages) : enqueuer.wake());
}

/** Failed for now: the schedule says when to go on. */
class AttemptFailed extends Error {
  constructor(readonly inMs: number) {
    super('The attempt failed');
  }
}

async function startJobs(): Promise<OnWritten> {
  const module = await Test.createTestingModule({ imports: [persistence] }).compile();
  await module.init();
  const messages = module.get(WebhookMessageRepository);
  const sender = new WebhookSender(egress, { nowMs: Date.now });
  const claims = new Batcher<string, Map<string, AttemptClaim>>(async (ids) => {
    const claimed = await messages.claim(ids, LEASE);
    return new Map(claimed.map((claim, index) => [ids[index]!, claim]));
  }, GATHERED);
  const outcomes = new Batcher<EndedAttempt, void>(async (ended) => void (await messages.record(ended)), GATHERED);
  const connection = chooseQueueBackend({ ...settings, connectionName: 'bench' });
  const queue = new Queue<QueuedMessage>('webhook-delivery', { connection });
  const slots = new Map<string, { running: number; waiting: (() => void)[] }>();

  async function inSlot(endpointId: string, work: () => Promise<void>): Promise<void> {
    const slot = slots.get(endpointId) ?? { running: 0, waiting: [] };
    slots.set(endpointId, slot);
    if (slot.running === PER_ENDPOINT) await new Promise<void>((proceed) => slot.waiting.push(proceed));
    else slot.running += 1;
    try {
      await work();
    } finally {
      const next = slot.waiting.shift();
      if (next === undefined) slot.running -= 1;
      else next();
    }
  }

  async function deliver(job: Job<QueuedMessage>, token: string | undefined): Promise<void> {
    const claim = (await claims.add([job.data.id])).get(job.data.id);
    if (claim?.state === 'later') {
      await job.moveToDelayed(Date.now() + claim.inMs, token);
      throw new DelayedError();
    }
    if (claim?.state !== 'claimed') return;
    const { attempt } = claim;
    if (attempt.startsInMs > 0) await sleep(attempt.startsInMs);
    const { endpoint, eventType, body, webhookSubscriptionId, endUserAccountId, calendarId } = attempt;
    const result = await sender.attempt({
      message: { id: messageIdOf(attempt.messageId), eventType, body },
      endpoint: { ...endpoint, secrets: secretsFrom(endpoint.secrets!) },
      identity: { webhookSubscriptionId, endUserAccountId, calendarId },
      isByHand: false,
    });
    const verdict = outcomeOf(attempt.failures, classifyAttempt(result));
    await outcomes.add([{ attempt, outcome: { ...result, verdict } }]);
    if (verdict.kind === 'retry') throw new AttemptFailed(verdict.inMs);
    if (verdict.kind === 'failed') throw new UnrecoverableError(verdict.reason);
  }

  const worker = new Worker<QueuedMessage>(
    queue.name,
    (job, token) => inSlot(job.data.endpointId, () => deliver(job, token)),
    {
      ...WORKER_OPTIONS,
      connection,
      concurrency: CONCURRENCY,
      settings: { backoffStrategy: (_made, _type, error) => (error instanceof AttemptFailed ? error.inMs : 2_000) },
    },
  );
  await worker.waitUntilReady();
  return async ({ messages: written }) => {
    const jobs = written.map(({ id, endpointId }) => ({
      name: 'deliver',
      data: { id, endpointId },
      opts: {
        jobId: id,
        attempts: 9,
        backoff: { type: 'schedule' },
        removeOnComplete: true,
        removeOnFail: { count: 1_000 },
      },
    }));
    // In place of a reconciliation, which would enqueue by their rows what could not be enqueued here.
    while (!(await queue.addBulk(jobs).then(Boolean, () => false))) await sleep(1_000);
  };
}

function outcomeOf(failures: number, verdict: ReturnType<typeof classifyAttempt>): AttemptOutcome['verdict'] {
  if (verdict.kind === 'rejected') return { kind: 'failed', reason: verdict.reason };
  if (verdict.kind !== 'retry') return verdict;
  const inMs = retryDelayMs(failures + 1, { retryAfterMs: verdict.retryAfterMs, random: Math.random });
  return inMs === null ? { kind: 'failed', reason: 'exhausted' } : { kind: 'retry', inMs };
}
