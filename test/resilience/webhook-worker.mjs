// One worker of the service, reduced to webhook messages whose receivers answer at once.
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { WebhookMessageRepository } from '#domain/webhooks';
import { KeyRing, PersistenceModule } from '#persistence';

const { DATABASE_URL, ENCRYPTION_KEYS } = process.env;
const app = await NestFactory.createApplicationContext(
  PersistenceModule.forRoot({ databaseUrl: DATABASE_URL, keyRing: KeyRing.parse(ENCRYPTION_KEYS) }),
  { logger: false },
);
const messages = app.get(WebhookMessageRepository);
const outcome = { durationMs: 1, status: 200, failure: null, responseText: '', verdict: { kind: 'delivered' } };

async function work(id) {
  for (;;) {
    const [claim] = await messages.claim([id], { leaseMs: 10_000, aheadMs: 1_000 });
    if (claim.state === 'nothing') return;
    if (claim.state === 'claimed') {
      await sleep(claim.attempt.startsInMs);
      await messages.record([{ attempt: claim.attempt, outcome }]);
      return;
    }
    await sleep(claim.inMs);
  }
}

process.send({ ready: true });
const queue = [];
async function attemptKind() {
  for (;;) {
    const id = queue.shift();
    if (id === undefined) await sleep(20);
    else await work(id);
  }
}
for (let count = 0; count < 8; count += 1) void attemptKind();
for (;;) {
  const due = await messages.claimForQueue(100);
  queue.push(...due.map(({ id }) => id));
  if (due.length === 0) await sleep(100);
}
