/** Deliveries a second of a worker, with everything that makes them safe, against a bare loop of BullMQ and undici. */
import { createServer } from 'node:http';
import type { WebhookEndpoint } from '#domain/webhooks';
import { SigningSecret } from '#webhooks';
import { KEY_ENTRY, openPersistence } from '../persistence/persistence.js';
import { backlog, newSyncedCalendar, subscribe } from '../persistence/webhook-fixture.js';
import { eventually } from '../support/processes.js';
import { runWorker } from '../support/worker.js';
import { startProgram, printed } from './programs.js';
import { byTurns, compared } from './rounds.js';

const ROUNDS = 5;
const DELIVERIES = 2_000;
const ENDPOINTS = 20;

let arrivals: number[] = [];
const receiver = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    arrivals.push(performance.now());
    response.writeHead(204).end();
  });
});
await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
const { port } = receiver.address() as { port: number };
const origin = `http://127.0.0.1:${port}`;

const persistence = await openPersistence();
const { url: databaseUrl } = persistence.testDatabase;
const secrets = { active: SigningSecret.generate().reveal(), retiring: [] };
const endpoints: WebhookEndpoint[] = [];
for (let n = 0; n < ENDPOINTS; n += 1) {
  const calendar = await newSyncedCalendar(persistence);
  // A rate that nobody reaches: its bookkeeping is what counts.
  endpoints.push(
    await subscribe(persistence, calendar, {
      syncedCalendarId: null,
      url: `${origin}/ours/${n}`,
      rateLimit: 100_000,
      secrets,
    }),
  );
}
const worker = await runWorker(databaseUrl, {
  ENCRYPTION_KEYS: KEY_ENTRY,
  EGRESS_ALLOW: `127.0.0.1:${port}`,
  LOG_LEVEL: 'warn',
});
await eventually('ready', async () => ((await worker.probe('ready')) === 200 ? true : undefined));
const raw = startProgram('raw-deliveries.ts', [databaseUrl, origin, String(ENDPOINTS)]);
await printed(raw);

/** A second, between the first and the last arrival of what `start` brings about. */
async function rate(start: () => Promise<unknown>): Promise<number> {
  arrivals = [];
  await start();
  await eventually('all have arrived', () => (arrivals.length >= DELIVERIES ? true : undefined), {
    timeoutMs: 120_000,
  });
  const [first = 0] = arrivals;
  return (DELIVERIES / ((arrivals.at(-1) ?? 0) - first)) * 1_000;
}

const rounds = await byTurns(
  ROUNDS,
  () => rate(() => Promise.all(endpoints.map((one) => backlog(persistence, one, DELIVERIES / ENDPOINTS)))),
  () => rate(async () => raw.send(DELIVERIES)),
);
const { ours, theirs, ratio } = compared(rounds, (deliveries) => deliveries);
const row = {
  name: 'Deliveries of webhooks, signed, paced and written down, against a bare BullMQ + undici loop, deliveries/s',
  ratio,
  limit: 0.6,
  sense: 'at least',
  detail: `${Math.round(ours)}/s against ${Math.round(theirs)}/s, both with queues in PostgreSQL`,
};
console.log(JSON.stringify([row]));
raw.kill();
await worker.stop();
await persistence.close();
process.exit();
