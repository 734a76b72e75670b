// 35 s: processes lose their database and their queue, and are waited for.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { migrateQueueSchema } from '#jobs';
import { migrate } from '#persistence';
import { EmbeddedPostgres } from '../../../apps/stack/src/postgres/embedded-postgres.js';
import { asAdmin, createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { eventually, temporaryDirectory } from '../../support/processes.js';
import { startRedis, type RedisServer } from '../../support/redis.js';
import { runWorker, type WorkerUnderTest } from '../../support/worker.js';

/** One idempotency record that has run out, and one that has not. @returns their ids */
async function seedIdempotencyRecords(adminUrl: string): Promise<{ expired: string; live: string }> {
  const [application, expired, live] = [randomUUID(), randomUUID(), randomUUID()];
  await asAdmin(adminUrl, async (admin) => {
    await admin.query('insert into application (id, name, created_at) values ($1, $2, now())', [application, 'acme']);
    for (const [id, key, ageHours] of [
      [expired, 'old', 25],
      [live, 'new', 1],
    ]) {
      await admin.query(
        `insert into idempotency_record (id, application_id, key, fingerprint, claim_id, locked_until, expires_at)
         values ($1, $2, $3, 'f', $1, now(), now() + interval '24 hours' - make_interval(hours => $4))`,
        [id, application, key, ageHours],
      );
    }
  });
  return { expired, live };
}

async function idempotencyRecords(adminUrl: string): Promise<string[]> {
  return asAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ id: string }>('select id from idempotency_record');
    return rows.map(({ id }) => id);
  });
}

describe.each(['PostgreSQL', 'Redis'])('the worker with its queues on %s', (store) => {
  let database: TestDatabase;
  let redis: RedisServer | undefined;
  let worker: WorkerUnderTest | undefined;
  const settings = (): NodeJS.ProcessEnv => (redis === undefined ? {} : { REDIS_URL: redis.url });

  beforeAll(async () => {
    if (store === 'Redis') redis = await startRedis();
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await worker?.stop();
    worker = undefined;
  });
  afterAll(async () => {
    await database.drop();
    await redis?.stop();
  });

  it('deletes what has expired, and only that, soon after it started', async () => {
    const { expired, live } = await seedIdempotencyRecords(database.adminUrl);
    worker = await runWorker(database.url, settings());
    const left = await eventually('housekeeping', async () => {
      const ids = await idempotencyRecords(database.adminUrl);
      return ids.includes(expired) ? undefined : ids;
    });
    expect(left).toEqual([live]);
  });

  it('F2 takes leave on SIGTERM with exit code 0, well within 25 s', async () => {
    worker = await runWorker(database.url, settings());
    const { probe } = worker;
    await eventually('ready', async () => ((await probe('ready')) === 200 ? true : undefined));
    const startedAtMs = performance.now();
    expect(await worker.stop(25_000)).toBe(0);
    expect(performance.now() - startedAtMs).toBeLessThan(5_000);
  });
});

describe('the worker', () => {
  it('does not start on queue tables that are missing, and says how to make them', async () => {
    const database = await createTestDatabase({ migrated: false });
    try {
      await migrate(database.url);
      const worker = await runWorker(database.url, { MIGRATION_WAIT_MS: '0' });
      expect(await worker.exited).toBe(1);
      expect(worker.stdout() + worker.stderr()).toContain('run \\"ops migrate\\"');
    } finally {
      await database.drop();
    }
  });

  it('N64 names every setting that is missing, and no value', async () => {
    const worker = await runWorker('', { ENCRYPTION_KEYS: 'weak:c2VjcmV0', NODE_ENV: 'production' });
    expect(await worker.exited).toBe(1);
    const output = worker.stdout() + worker.stderr();
    for (const name of ['DATABASE_URL', 'ENCRYPTION_KEYS', 'PUBLIC_URL']) expect(output).toContain(name);
    expect(output).not.toContain('c2VjcmV0');
  });

  it('F16 is unready but alive while its database is away, and works again when it is back', async () => {
    const directory = await temporaryDirectory('worker-database');
    const first = new EmbeddedPostgres({ directory: directory.path });
    const { url, port } = await first.start();
    const second = new EmbeddedPostgres({ directory: directory.path, port });
    let worker: WorkerUnderTest | undefined;
    try {
      await migrate(url);
      await migrateQueueSchema(url);
      worker = await runWorker(url);
      const { probe } = worker;
      await eventually('ready', async () => ((await probe('ready')) === 200 ? true : undefined));
      await first.stop();
      expect(await probe('ready')).toBe(503);
      expect(await probe('live')).toBe(200);
      await second.start();
      await eventually('ready again', async () => ((await probe('ready')) === 200 ? true : undefined));
      expect(await worker.stop()).toBe(0);
    } finally {
      await worker?.stop();
      await first.stop();
      await second.stop();
      await directory.remove();
    }
  });
});
