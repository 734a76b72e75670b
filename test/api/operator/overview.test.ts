import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Queue, Worker, type ConnectionOptions } from 'bullmq';
import { BullQueueMonitor, chooseQueueBackend, housekeeping, webhookDelivery } from '#jobs';
import { allowConnections, createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { eventually } from '../../support/processes.js';
import { startRedis, type RedisServer } from '../../support/redis.js';

const IDS = { id: '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5', endpointId: '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f6' };

describe.each(['PostgreSQL', 'Redis'])('the queues on %s', (store) => {
  let database: TestDatabase;
  let redis: RedisServer | null = null;
  let connection: ConnectionOptions;
  let board: BullQueueMonitor;
  let queue: Queue;
  let worker: Worker | null = null;
  /** What the worker has done with jobs, by their data. */
  let done: unknown[] = [];

  beforeAll(async () => {
    if (store === 'Redis') redis = await startRedis();
    database = await createTestDatabase();
    connection = chooseQueueBackend({
      databaseUrl: database.url,
      redisUrl: redis?.url ?? null,
      connectionName: 'test',
    });
    board = new BullQueueMonitor((name) => new Queue(name, { connection: quick(connection), skipMetasUpdate: true }));
    queue = new Queue(webhookDelivery.queue, { connection });
    queue.on('error', () => undefined);
  });

  afterEach(async () => {
    await work(null);
    await queue.drain(true);
    await queue.clean(0, 1_000, 'failed');
  });

  afterAll(async () => {
    await board.onApplicationShutdown();
    await queue.close();
    await database.drop();
    await redis?.stop();
  });

  /** Whoever works from now on; it fails every job, with this text, or does it. */
  async function work(how: { failWith: string } | 'well' | null): Promise<void> {
    await worker?.close();
    worker = null;
    done = [];
    if (how === null) return;
    worker = new Worker(
      queue.name,
      async ({ data }) => {
        if (how !== 'well') throw new Error(how.failWith);
        done.push(data);
      },
      { connection },
    );
    worker.on('error', () => undefined);
  }

  const add = (...ids: string[]) =>
    queue.addBulk(
      ids.map((id) => ({
        name: webhookDelivery.name,
        data: { messages: [{ ...IDS, id }] },
        opts: { ...webhookDelivery.options, attempts: 1 },
      })),
    );
  const depth = async () => (await board.depths()).find(({ name }) => name === queue.name);

  async function addFailed(ids: string[], failWith = 'the database is away'): Promise<void> {
    const before = (await depth())?.failed ?? 0;
    await work({ failWith });
    await add(...ids);
    await eventually('they failed', async () => ((await depth())?.failed === before + ids.length ? true : undefined));
    await work(null);
  }

  it('tell how much is in each of them', async () => {
    await addFailed(['a']);
    await add('b', 'c');
    await queue.add('later', {}, { delay: 600_000 });
    expect(await board.depths()).toEqual([
      { name: 'webhook-deliveries', waiting: 2, active: 0, delayed: 1, failed: 1 },
      ...[
        'webhook-redeliveries',
        'calendar-syncs',
        'token-revocation',
        'account-events',
        'reconcile',
        'reading-plans',
        'housekeeping',
      ].map((name) => ({
        ...{ name, waiting: 0, active: 0, delayed: 0, failed: 0 },
      })),
    ]);
  });

  it('F8 keep what failed for good, with the reason, newest first', async () => {
    const before = Date.now();
    await addFailed(['a']);
    await addFailed(['b'], 'x'.repeat(600));
    const jobs = await board.failed(100);
    expect(jobs).toEqual([
      expect.objectContaining({ queue: queue.name, name: 'deliver', attempts: 1, reason: 'x'.repeat(500) }),
      expect.objectContaining({ queue: queue.name, name: 'deliver', attempts: 1, reason: 'the database is away' }),
    ]);
    expect(jobs[0]?.failedAt?.getTime()).toBeGreaterThanOrEqual(before);
    expect(await board.failed(1)).toEqual([jobs[0]]);
  });

  it('F8 let one failed job run again, and only once', async () => {
    await addFailed(['a', 'b']);
    const job = (await board.failed(100))[0];
    expect(await board.redrive(queue.name, job!.id)).toBe(1);
    expect(await board.redrive(queue.name, job!.id)).toBe(0);
    expect(await board.redrive(queue.name, 'no such job')).toBe(0);
    expect(await depth()).toMatchObject({ waiting: 1, failed: 1 });
    await work('well');
    await eventually('it is done', () => (done.length === 1 ? true : undefined));
    expect(await depth()).toMatchObject({ waiting: 0, failed: 1 });
  });

  it('F8 let all failed jobs of a queue run again', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `m${index}`);
    await addFailed(ids);
    expect(await board.redrive(queue.name, null)).toBe(60);
    expect(await depth()).toMatchObject({ waiting: 60, failed: 0 });
    await work('well');
    await eventually('all are done', () => (done.length === 60 ? true : undefined));
    expect(new Set(done.map((data) => (data as { messages: { id: string }[] }).messages[0]?.id))).toEqual(new Set(ids));
  });

  it('F8 give a job that failed for good all its attempts again', async () => {
    const tried: number[] = [];
    const repeated = new Queue(housekeeping.queue, { connection });
    const failing = new Worker(
      repeated.name,
      async ({ attemptsMade }) => {
        tried.push(attemptsMade);
        throw new Error('no');
      },
      { connection },
    );
    failing.on('error', () => undefined);
    try {
      const job = await repeated.add(housekeeping.name, {}, { ...housekeeping.options, attempts: 2, backoff: 1 });
      await eventually('it failed for good', async () => ((await job.isFailed()) ? true : undefined));
      expect(await board.redrive(repeated.name, job.id!)).toBe(1);
      await eventually('it failed again', () => (tried.length === 4 ? true : undefined));
      expect(tried).toEqual([0, 1, 0, 1]);
    } finally {
      await failing.close();
      await repeated.obliterate({ force: true });
      await repeated.close();
    }
  });

  it('are not there by another name', async () => {
    expect(await board.redrive('bull', null)).toBeNull();
  });

  it('F9 F16 say when their store is away, and are looked into again when it is back', async () => {
    const { away, back } = redis === null ? outageOf(database) : outageOf(redis);
    const atFirst = new BullQueueMonitor((name) => new Queue(name, { connection: quick(connection) }), 1_000);
    await board.depths();
    await away();
    for (const one of [board, atFirst]) {
      await expect(one.depths()).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    }
    await back();
    for (const one of [board, atFirst]) await eventually('it answers', () => one.depths().catch(() => undefined));
    await atFirst.onApplicationShutdown();
  });
});

function outageOf(store: RedisServer | TestDatabase): { away: () => Promise<void>; back: () => Promise<void> } {
  if ('kill' in store) return { away: () => store.kill(), back: () => store.start('kept') };
  return { away: () => allowConnections(store, false), back: () => allowConnections(store, true) };
}

/** As the API connects: one connection, and no wait without end. */
function quick(connection: ConnectionOptions): ConnectionOptions {
  return { ...connection, ...{ max: 1, commandTimeout: 5_000 } };
}
