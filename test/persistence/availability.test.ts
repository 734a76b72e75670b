import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, DatabaseUnavailable, EmbeddedPostgres, migrate, SYSTEM } from '#persistence';
import { asAdmin } from '../support/postgres.js';

/** A server of our own: it is going to be killed, frozen and stopped. */
let directory: string;
let server: EmbeddedPostgres;
let url: string;
let adminUrl: string;
let port: number;
let database: Database;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'availability-'));
  server = new EmbeddedPostgres({ directory, settings: ['fsync=off'] });
  ({ url, adminUrl, port } = await server.start());
  await migrate(url);
  database = new Database({ databaseUrl: url, poolSize: 5, statementTimeoutMs: 1_500, connectTimeoutMs: 1_000 });
}, 60_000);

afterAll(async () => {
  await database.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

const one = { text: 'select 1 as one' };
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

async function fillPool(): Promise<void> {
  await Promise.all(Array.from({ length: 5 }, () => database.read(SYSTEM, { text: 'select pg_sleep(0.05)' })));
}

const killBackends = () =>
  asAdmin(adminUrl, (admin) =>
    admin.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'unified-calendar'"),
  );

/** Takes all connections away while this process stands still: it hears of none that it was lost. */
function killUnheard(): void {
  const kill = `
    const client = new (await import('pg')).default.Client({ connectionString: process.argv[1] });
    await client.connect();
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'unified-calendar'");
    await client.end();`;
  const killed = spawnSync(process.execPath, ['--input-type=module', '-e', kill, adminUrl], { encoding: 'utf8' });
  expect([killed.status, killed.stderr]).toEqual([0, '']);
}

describe('database', () => {
  it('F18 repeats a read once whose connection was killed, with idle ones dead too', async () => {
    for (let round = 0; round < 5; round += 1) {
      await fillPool();
      const reads = Array.from({ length: 5 }, () =>
        database.read(SYSTEM, { text: 'select 1 as one from pg_sleep(0.3)' }),
      );
      await new Promise((done) => setTimeout(done, 100));
      await killBackends();
      expect(await Promise.all(reads)).toEqual(Array.from({ length: 5 }, () => [{ one: 1 }]));
    }
  }, 30_000);

  it('F18 takes no connection after a loss that may have been lost with it', async () => {
    for (let round = 0; round < 3; round += 1) {
      await fillPool();
      killUnheard();
      expect(await database.read(SYSTEM, one)).toEqual([{ one: 1 }]);
    }
  }, 30_000);

  it('F18 answers a probe although idle connections were lost', async () => {
    await fillPool();
    killUnheard();
    await expect(database.ping(5_000)).resolves.toBeUndefined();
    expect(await database.read(SYSTEM, one)).toEqual([{ one: 1 }]);
  }, 30_000);

  it('F18 does not repeat a write, and says that its outcome is unknown', async () => {
    const write = failure(database.write(SYSTEM, { text: 'select pg_sleep(1)' }));
    await new Promise((done) => setTimeout(done, 200));
    await killBackends();
    expect(await write).toMatchObject({ name: 'DatabaseUnavailable', reason: 'connectionLost', retryAfterSeconds: 2 });
    expect(await database.read(SYSTEM, one)).toEqual([{ one: 1 }]);
  });

  it('F18 undoes a transaction whose connection was killed, and recovers', async () => {
    const insert = {
      text: "insert into application (id, name, created_at) values (gen_random_uuid(), 'half', now())",
    };
    const outcome = await failure(
      database.transaction(SYSTEM, async () => {
        await database.write(SYSTEM, insert);
        await killBackends();
        await database.write(SYSTEM, insert);
      }),
    );
    expect(outcome).toBeInstanceOf(DatabaseUnavailable);
    expect(await database.read(SYSTEM, { text: "select 1 from application where name = 'half'" })).toEqual([]);
  });

  it('F19 caps the wait for a connection', async () => {
    const holders = Array.from({ length: 5 }, () =>
      database.transaction(SYSTEM, () => new Promise((done) => setTimeout(done, 1_800))),
    );
    const start = performance.now();
    expect(await failure(database.read(SYSTEM, one))).toMatchObject({ reason: 'noConnection' });
    expect(performance.now() - start).toBeLessThan(1_500);
    await Promise.all(holders);
    expect(await database.read(SYSTEM, one)).toEqual([{ one: 1 }]);
  });

  it('F19 F20 caps a statement that waits for a lock or runs long', async () => {
    const locker = database.transaction(SYSTEM, async () => {
      await database.write(SYSTEM, { text: 'lock table application in access exclusive mode' });
      expect(
        await database.detached(() => failure(database.read(SYSTEM, { text: 'select 1 from application' }))),
      ).toMatchObject({
        reason: 'timeout',
      });
    });
    await locker;
    expect(await failure(database.write(SYSTEM, { text: 'select pg_sleep(10)' }))).toMatchObject({ reason: 'timeout' });
    expect(await database.read(SYSTEM, one)).toEqual([{ one: 1 }]);
  }, 15_000);

  it('tells errors of the statement from those of availability', async () => {
    const wrong = await failure(database.read(SYSTEM, { text: 'select nonsense' }));
    expect(wrong).not.toBeInstanceOf(DatabaseUnavailable);
    expect(wrong).toMatchObject({ code: '42703' });
    const unsendable = await failure(database.read(SYSTEM, { text: 'select $1::text', values: [Symbol('x')] }));
    expect(unsendable).not.toBeInstanceOf(DatabaseUnavailable);
  });

  it('a frozen server is given up in time, and used again when it thaws', async () => {
    await fillPool();
    const pids = await asAdmin(adminUrl, async (admin) => {
      const { rows } = await admin.query<{ pid: number }>(
        "select pid from pg_stat_activity where application_name = 'unified-calendar'",
      );
      return [server.pid as number, ...rows.map(({ pid }) => pid)];
    });
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      const start = performance.now();
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => failure(database.read(SYSTEM, one))));
      expect(outcomes.every((outcome) => outcome instanceof DatabaseUnavailable)).toBe(true);
      expect(await failure(database.transaction(SYSTEM, () => database.read(SYSTEM, one)))).toBeInstanceOf(
        DatabaseUnavailable,
      );
      expect(await failure(database.ping(500))).toBeInstanceOf(DatabaseUnavailable);
      expect(performance.now() - start).toBeLessThan(6_000);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    expect(await database.read(SYSTEM, one)).toEqual([{ one: 1 }]);
    await expect(database.ping(1_000)).resolves.toBeUndefined();
  }, 30_000);

  it('F16 a crashed server is unavailable at once, and used again within 3 s of its return', async () => {
    await database.write(SYSTEM, {
      text: "insert into application (id, name, created_at) values (gen_random_uuid(), 'durable', now())",
    });
    process.kill(server.pid as number, 'SIGKILL');
    await new Promise((done) => setTimeout(done, 300));
    const start = performance.now();
    expect(await failure(database.read(SYSTEM, one))).toBeInstanceOf(DatabaseUnavailable);
    expect(await failure(database.ping(2_000))).toBeInstanceOf(DatabaseUnavailable);
    expect(performance.now() - start).toBeLessThan(2_000);

    server = new EmbeddedPostgres({ directory, port, settings: ['fsync=off'] });
    expect((await server.start()).url).toBe(url);
    const back = performance.now();
    for (;;) {
      if ((await failure(database.read(SYSTEM, one))) === null) break;
      await new Promise((done) => setTimeout(done, 50));
    }
    expect(performance.now() - back).toBeLessThan(3_000);
    expect(await database.read(SYSTEM, { text: "select name from application where name = 'durable'" })).toHaveLength(
      1,
    );
  }, 60_000);
});
