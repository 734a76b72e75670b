/**
 * Deliveries with one BullMQ job for each message, against the service's own form and against a bare loop of BullMQ and
 * undici, by turns in one run, with the queues in PostgreSQL and in Redis. ADR 22 says what came of it.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { QueuedMessage, WebhookEndpoint } from '#domain/webhooks';
import { messageIdOf, SigningSecret } from '#webhooks';
import { KEY_ENTRY, openPersistence } from '../persistence/persistence.js';
import { newSyncedCalendar, subscribe } from '../persistence/webhook-fixture.js';
import { eventually } from '../support/processes.js';
import { startRedis } from '../support/redis.js';
import type { FormSettings, Written } from './delivery-form.js';
import { processorTimeMs } from './processor-time.js';
import { startProgram, printed } from './programs.js';

const ROUNDS = 5;
const DELIVERIES = 2_000;
const ENDPOINTS = 20;
const PER_SECOND = 100;
const PACED_MS = 10_000;
const PACED_ROUNDS = 2;

let arrived: (messageId: string | undefined) => void = () => undefined;
const receiver = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    arrived(request.headers['webhook-id'] as string | undefined);
    response.writeHead(204).end();
  });
});
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
const { port } = receiver.address() as { port: number };
const origin = `http://127.0.0.1:${port}`;

/** One form with a database of its own, so that what that counts is of this form alone. */
async function startForm(form: FormSettings['form'], redisUrl: string | null) {
  const persistence = await openPersistence();
  const secrets = { active: SigningSecret.generate().reveal(), retiring: [] };
  const endpoints: WebhookEndpoint[] = [];
  for (let n = 0; n < ENDPOINTS; n += 1) {
    const calendar = await newSyncedCalendar(persistence);
    const url = `${origin}/${form}/${n}`;
    // A rate that nobody reaches: its bookkeeping is what counts.
    endpoints.push(
      await subscribe(persistence, calendar, { syncedCalendarId: null, url, rateLimit: 100_000, secrets }),
    );
  }
  const settings: FormSettings = {
    form,
    redisUrl,
    databaseUrl: persistence.testDatabase.url,
    encryptionKey: KEY_ENTRY,
    egressAllow: `127.0.0.1:${port}`,
  };
  const program = startProgram('delivery-form.ts', [JSON.stringify(settings)]);
  await printed(program);
  const admin = new pg.Client({ connectionString: persistence.testDatabase.adminUrl });
  await admin.connect();
  const pid = program.pid!;
  return {
    async write(count: number, isNew: boolean): Promise<QueuedMessage[]> {
      const messages = Array.from({ length: count }, () => ({
        id: randomUUID(),
        endpointId: endpoints[Math.floor(Math.random() * ENDPOINTS)]!.id,
      }));
      await admin.query(
        'insert into webhook_message (id, application_id, endpoint_id, event_type, body, state, failures, resends, ' +
          'tries, tries_by_hand, next_attempt_at, enqueue_at, created_at) select m.id, e.application_id, e.id, ' +
          "'x', '{}', 'pending', 0, 0, 0, 0, now(), now(), now() from unnest($1::uuid[], $2::uuid[]) m (id, endpoint_id) " +
          'join webhook_endpoint e on e.id = m.endpoint_id',
        [messages.map(({ id }) => id), messages.map(({ endpointId }) => endpointId)],
      );
      program.send({ messages, isNew } satisfies Written);
      return messages;
    },
    async spent() {
      const { rows: backends } = await admin.query<{ pid: number }>(
        'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      const processes = new Map(
        [pid, ...backends.map((backend) => backend.pid)].map((one) => [one, processorTimeMs(one)]),
      );
      return { workerMs: processes.get(pid)!, processes };
    },
    async transactions(): Promise<number> {
      // What backends have counted is told by them at most a second later.
      await sleep(1_500);
      const { rows } = await admin.query<{ n: string }>(
        'select xact_commit as n from pg_stat_database where datname = current_database()',
      );
      return Number(rows[0]!.n);
    },
    async stop() {
      program.kill('SIGKILL');
      await once(program, 'exit');
      await admin.end();
      await persistence.close();
    },
  };
}
type Form = Awaited<ReturnType<typeof startForm>>;

/** A second, between the first and the last arrival of what `start` brings about. */
async function rate(start: () => Promise<unknown>): Promise<number> {
  const atMs: number[] = [];
  arrived = () => void atMs.push(performance.now());
  await start();
  await eventually('all have arrived', () => (atMs.length >= DELIVERIES ? true : undefined), { timeoutMs: 120_000 });
  const [first = 0] = atMs;
  return (DELIVERIES / (atMs.at(-1)! - first)) * 1_000;
}

interface Round {
  rate: number;
  workerMs: number;
  databaseMs: number;
}

async function round(form: Form): Promise<Round> {
  const before = await form.spent();
  const reached = await rate(() => form.write(DELIVERIES, false));
  await sleep(300); // outcomes are still being written
  const after = await form.spent();
  const workerMs = after.workerMs - before.workerMs;
  let allMs = 0;
  for (const [pid, ms] of after.processes) allMs += ms - (before.processes.get(pid) ?? 0);
  return { rate: reached, workerMs: workerMs / DELIVERIES, databaseMs: (allMs - workerMs) / DELIVERIES };
}

/** Milliseconds from before a message is written to its arrival, while this many are written each second. */
async function paced(form: Form): Promise<number[]> {
  const writtenAt = new Map<string, number>();
  const takenMs: number[] = [];
  let counted = 0;
  const waiting = new Map<string, number>();
  arrived = (messageId) => {
    const nowMs = performance.now();
    counted += 1;
    const atMs = writtenAt.get(messageId!);
    if (atMs === undefined) waiting.set(messageId!, nowMs);
    else takenMs.push(nowMs - atMs);
  };
  const startAt = performance.now();
  const total = (PACED_MS / 1_000) * PER_SECOND;
  const writes: Promise<void>[] = [];
  for (let turn = 0; turn < total; turn += 1) {
    await sleep(Math.max(0, startAt + (turn * 1_000) / PER_SECOND - performance.now()));
    const atMs = performance.now();
    writes.push(
      form.write(1, true).then(([message]) => {
        const messageId = messageIdOf(message!.id);
        writtenAt.set(messageId, atMs);
        // It may have arrived before this process learned its id.
        const arrivedAt = waiting.get(messageId);
        if (arrivedAt !== undefined) takenMs.push(arrivedAt - atMs);
      }),
    );
  }
  await Promise.all(writes);
  await eventually('all have arrived', () => (counted >= total ? true : undefined), { timeoutMs: 60_000 });
  return takenMs;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const quantile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;

const rows: object[] = [];
const [only] = process.argv.slice(2);
for (const store of ['PostgreSQL', 'Redis'] as const) {
  if (only !== undefined && only !== store) continue;
  const redis = store === 'Redis' ? await startRedis() : null;
  const forms = {
    rows: await startForm('rows', redis?.url ?? null),
    jobs: await startForm('jobs', redis?.url ?? null),
  };
  const bare = await openPersistence();
  const raw = startProgram('raw-deliveries.ts', [
    bare.testDatabase.url,
    origin,
    String(ENDPOINTS),
    ...(redis === null ? [] : [redis.url]),
  ]);
  await printed(raw);

  const rounds: { rows: Round; jobs: Round; raw: number }[] = [];
  const began = { rows: await forms.rows.transactions(), jobs: await forms.jobs.transactions() };
  for (let turn = 0; turn <= ROUNDS; turn += 1) {
    const measured = {
      rows: await round(forms.rows),
      jobs: await round(forms.jobs),
      raw: await rate(async () => raw.send(DELIVERIES)),
    };
    console.error(store, JSON.stringify(measured));
    rounds.push(measured);
  }
  const delivered = DELIVERIES * rounds.length;
  const statements = {
    rows: ((await forms.rows.transactions()) - began.rows) / delivered,
    jobs: ((await forms.jobs.transactions()) - began.jobs) / delivered,
  };
  // The first one does not count: code is compiled, connections are made.
  const counted = rounds.slice(1);
  const latencies = { rows: [] as number[], jobs: [] as number[] };
  for (let turn = 0; turn <= PACED_ROUNDS; turn += 1) {
    for (const form of ['rows', 'jobs'] as const) {
      const taken = await paced(forms[form]);
      console.error(store, form, 'p50', quantile(taken, 0.5), 'p99', quantile(taken, 0.99));
      if (turn > 0) latencies[form].push(...taken);
    }
  }
  for (const form of ['rows', 'jobs'] as const) {
    const of = (value: (one: Round) => number) => median(counted.map((one) => value(one[form])));
    const name = form === 'rows' ? 'rows and leases, ten messages a job' : 'a job for each message';
    rows.push({
      name: `Deliveries with queues in ${store}, ${name}, against a bare BullMQ + undici loop, deliveries/s`,
      ratio: median(counted.map((one) => one[form].rate / one.raw)),
      limit: null,
      detail:
        `${Math.round(of(({ rate: each }) => each))}/s against ${Math.round(median(counted.map((one) => one.raw)))}/s; each with ` +
        `${of(({ workerMs }) => workerMs).toFixed(2)} ms of the worker's and ${of(({ databaseMs }) => databaseMs).toFixed(2)} ms of ` +
        `PostgreSQL's processor time and ${statements[form].toFixed(2)} transactions; at ${PER_SECOND}/s from the ` +
        `written row to the receiver p50 ${quantile(latencies[form], 0.5).toFixed(1)} ms, ` +
        `p99 ${quantile(latencies[form], 0.99).toFixed(1)} ms`,
    });
  }
  raw.kill();
  await forms.rows.stop();
  await forms.jobs.stop();
  await bare.close();
  await redis?.stop();
}
console.log(JSON.stringify(rows));
process.exit();
