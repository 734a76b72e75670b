// 30 s: connections are killed again and again, and servers that answer nothing are waited for.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Database,
  DatabaseUnavailable,
  EntityManagers,
  FieldCipher,
  KeyRing,
  migrate,
  SYSTEM,
  SystemClock,
  UuidV7Generator,
} from '#persistence';
import { EmbeddedPostgres } from '../../apps/stack/src/postgres/embedded-postgres.js';
import { SqlIdempotencyRepository } from '../../libs/persistence/src/repositories/idempotency.repository.js';
import { SqlProviderChannelRepository } from '../../libs/persistence/src/repositories/provider-channel.repository.js';
import { SqlSyncedCalendarRepository } from '../../libs/persistence/src/repositories/synced-calendar.repository.js';
import { SqlWebhookEndpointRepository } from '../../libs/persistence/src/repositories/webhook-endpoint.repository.js';
import { asAdmin } from '../support/postgres.js';
import { eventually } from '../support/processes.js';
import { TcpProxy } from '../support/tcp-proxy.js';

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
});

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

const insertNamed = (name: string) => ({
  text: 'insert into application (id, name, created_at) values (gen_random_uuid(), $1, now())',
  values: [name],
});

async function namesLike(pattern: string): Promise<string[]> {
  const rows = await database.read<{ name: string }>(SYSTEM, {
    text: 'select name from application where name like $1 order by name',
    values: [pattern],
  });
  return rows.map(({ name }) => name);
}

/** Every connection that there is leads to a server that takes no writes any more; new ones do not. */
async function putAside(): Promise<void> {
  const readOnly = { text: "select set_config('default_transaction_read_only', 'on', false) from pg_sleep(0.05)" };
  await Promise.all(Array.from({ length: 5 }, () => database.read(SYSTEM, readOnly)));
}

/** A setting of the whole server, which holds when this resolves. */
async function onServer(setting: string): Promise<void> {
  await asAdmin(adminUrl, async (admin) => {
    await admin.query(setting);
    await admin.query('select pg_reload_conf()');
  });
  await new Promise((done) => setTimeout(done, 200));
}

/** The service's database, for a superuser. */
function onOurs(): string {
  return Object.assign(new URL(adminUrl), { pathname: new URL(url).pathname }).href;
}

const sleepers = () =>
  asAdmin(adminUrl, async (admin) => {
    const { rows } = await admin.query("select 1 from pg_stat_activity where wait_event = 'PgSleep'");
    return rows.length;
  });

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
  });

  it('F18 takes no connection after a loss that may have been lost with it', async () => {
    for (let round = 0; round < 3; round += 1) {
      await fillPool();
      killUnheard();
      expect(await database.read(SYSTEM, one)).toEqual([{ one: 1 }]);
    }
  });

  it('F18 answers a probe although idle connections were lost', async () => {
    await fillPool();
    killUnheard();
    await expect(database.ping(5_000)).resolves.toBeUndefined();
    expect(await database.read(SYSTEM, one)).toEqual([{ one: 1 }]);
  });

  it('F39 tells how long callers wait for each other, and nothing of a server that serves nobody', async () => {
    expect(database.queueMs()).toBe(0);
    const sleeping = (seconds: number, count: number) =>
      Array.from({ length: count }, () => failure(database.read(SYSTEM, { text: `select pg_sleep(${seconds})` })));
    const waitMs = (ms: number) => new Promise((done) => setTimeout(done, ms));

    const busy = sleeping(0.2, 10);
    await waitMs(150);
    expect(database.queueMs()).toBeGreaterThan(100);
    await Promise.all(busy);
    expect(database.queueMs()).toBe(0);

    const stalled = sleeping(1.4, 5);
    await waitMs(1_100);
    const late = sleeping(0, 1);
    await waitMs(100);
    expect(database.queueMs()).toBe(0);
    await Promise.all([...stalled, ...late]);
  });

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

  it('F17 sends a write again that met a server which takes none any more', async () => {
    await putAside();
    const { count } = await database.write(SYSTEM, insertNamed('moved'));
    expect([count, await namesLike('moved')]).toEqual([1, ['moved']]);
  });

  it('F17 begins a transaction again whose first statement met such a server, or a lost connection', async () => {
    for (const [name, spoil] of [
      ['moved whole', putAside],
      ['found dead', killUnheard],
    ] as const) {
      await fillPool();
      await spoil();
      await database.transaction(SYSTEM, async () => {
        await database.write(SYSTEM, insertNamed(`${name} 1`));
        await database.write(SYSTEM, insertNamed(`${name} 2`));
      });
      expect(await namesLike(`${name}%`)).toEqual([`${name} 1`, `${name} 2`]);
    }
  });

  it('F17 undoes a transaction that meets such a server in its midst, and the next one succeeds', async () => {
    const work = (name: string, midst: () => Promise<unknown>) =>
      database.transaction(SYSTEM, async () => {
        await database.read(SYSTEM, one);
        await midst();
        await database.write(SYSTEM, insertNamed(name));
      });
    const readOnly = () => database.write(SYSTEM, { text: 'set transaction read only' });
    expect(await failure(work('half moved', readOnly))).toMatchObject({ reason: 'readOnly', retryAfterSeconds: 2 });
    await work('moved next', async () => undefined);
    expect(await namesLike('%moved%')).not.toContain('half moved');
    expect(await namesLike('moved next')).toEqual(['moved next']);
  });

  it('F17 uses no server that takes no writes, and says so to probes', async () => {
    await onServer('alter system set default_transaction_read_only = on');
    try {
      expect(await failure(database.ping(2_000))).toBeInstanceOf(DatabaseUnavailable);
      expect(await failure(database.read(SYSTEM, one))).toMatchObject({ reason: 'noConnection' });
    } finally {
      await onServer('alter system reset default_transaction_read_only');
    }
    await expect(database.ping(2_000)).resolves.toBeUndefined();
  });

  describe('F18 the answer to a commit is lost', () => {
    /** A commit waits for a standby that there is not: it has taken effect, and nobody is told. */
    async function lostWhileCommitting<T>(work: () => Promise<T>): Promise<T> {
      await onServer("alter system set synchronous_standby_names = 'nobody'");
      try {
        const outcome = work();
        outcome.catch(() => undefined);
        await eventually('a commit that waits', async () => ((await waitingCommits()).length > 0 ? true : undefined));
        await asAdmin(adminUrl, async (admin) => {
          for (const pid of await waitingCommits()) await admin.query('select pg_terminate_backend($1)', [pid]);
        });
        await onServer('alter system reset synchronous_standby_names');
        return await outcome;
      } finally {
        await onServer('alter system reset synchronous_standby_names');
      }
    }
    const waitingCommits = () =>
      asAdmin(adminUrl, async (admin) => {
        const { rows } = await admin.query<{ pid: number }>(
          "select pid from pg_stat_activity where wait_event = 'SyncRep' and application_name = 'unified-calendar'",
        );
        return rows.map(({ pid }) => pid);
      });

    it('of a transaction that was made: it counts as made, and is not made twice', async () => {
      let runs = 0;
      const made = await lostWhileCommitting(() =>
        database.transaction(SYSTEM, async () => {
          runs += 1;
          await database.write(SYSTEM, insertNamed('committed unheard'));
          return 'made';
        }),
      );
      expect([made, runs, await namesLike('committed unheard')]).toEqual(['made', 1, ['committed unheard']]);
    });

    it('of a transaction that was not: that is told', async () => {
      await asAdmin(onOurs(), (admin) =>
        admin.query(`
          create function slow_check() returns trigger language plpgsql as 'begin perform pg_sleep(2); return null; end';
          create constraint trigger slow after insert on application initially deferred
            for each row execute function slow_check()`),
      );
      try {
        const outcome = failure(database.transaction(SYSTEM, () => database.write(SYSTEM, insertNamed('never'))));
        await eventually('it is being committed', async () => ((await sleepers()) > 0 ? true : undefined));
        await killBackends();
        expect(await outcome).toMatchObject({ reason: 'connectionLost' });
        expect(await namesLike('never')).toEqual([]);
      } finally {
        await asAdmin(onOurs(), (admin) => admin.query('drop function slow_check() cascade'));
      }
    });

    const newApplication = async () => {
      const applicationId = randomUUID();
      await database.write(SYSTEM, {
        text: "insert into application (id, name, created_at) values ($1, 'claims', now())",
        values: [applicationId],
      });
      return applicationId;
    };
    const keys = KeyRing.parse(KeyRing.generateEntry('test'));

    it('of a new endpoint: the caller gets it, and makes no second one', async () => {
      const applicationId = await newApplication();
      const cipher = new FieldCipher(keys);
      const entities = new EntityManagers(database, cipher);
      const ids = new UuidV7Generator();
      const endpoints = new SqlWebhookEndpointRepository(database, entities, cipher, ids, new SystemClock());
      const endpoint = await lostWhileCommitting(() =>
        endpoints.create(
          { applicationId },
          {
            ...{ syncedCalendarId: null, url: 'https://hooks.example/', eventTypes: ['enduseraccount.created'] },
            ...{ rateLimit: null, secrets: { active: 'whsec_one', retiring: [] } },
          },
        ),
      );
      const rows = await database.read(SYSTEM, {
        text: 'select id from webhook_endpoint where application_id = $1',
        values: [applicationId],
      });
      expect(rows).toEqual([{ id: endpoint.id }]);
    });

    it('of the leases of a calendar: the caller holds them', async () => {
      const applicationId = await newApplication();
      const [calendar] = await database.read<{ id: string }>(SYSTEM, {
        text: `
          with provider as (insert into provider_configuration (id, application_id, provider_type, created_at)
                 values (gen_random_uuid(), $1, 'GOOGLE', now()) returning id),
               account as (insert into end_user_account (id, application_id, provider_configuration_id, provider_type,
                   email, authorized_scopes, provider_account_id, status, created_at, updated_at)
                 select gen_random_uuid(), $1, id, 'GOOGLE', 'a@example.org', '{}', 'one', 'ACTIVE', now(), now()
                   from provider returning id)
          insert into synced_calendar (id, application_id, end_user_account_id, calendar_id, calendar_hash,
              sync_requests, next_sync_at, reconcile_requests, reconcile_at, created_at)
          select gen_random_uuid(), $1, id, 'primary', 'x', 0, now(), 0, now(), now() from account returning id`,
        values: [applicationId],
      });
      const cipher = new FieldCipher(keys);
      const entities = new EntityManagers(database, cipher);
      const ids = new UuidV7Generator();
      const channels = new SqlProviderChannelRepository(database, entities, cipher, ids, new SystemClock());
      const claim = () => channels.claimReconciliation({ applicationId }, calendar!.id, 45_000);
      expect(await lostWhileCommitting(claim)).toMatchObject({ syncedCalendarId: calendar!.id });
      expect(await claim()).toBeNull();
      const calendars = new SqlSyncedCalendarRepository(database, entities, ids, new SystemClock());
      const claimSync = () => calendars.claimInitialSync({ applicationId }, calendar!.id, 45_000);
      expect(await lostWhileCommitting(claimSync)).toMatchObject({ syncedCalendarId: calendar!.id });
      expect(await claimSync()).toBe('busy');
    });

    it('of the claim of an Idempotency-Key: it is found again', async () => {
      const applicationId = await newApplication();
      const records = new SqlIdempotencyRepository(database, new FieldCipher(keys), new UuidV7Generator(), keys);
      const key = { applicationId, key: 'one' };
      const claim = await lostWhileCommitting(() => records.claim(key, 'print', 60_000));
      expect(claim).toMatchObject({ state: 'claimed' });
      expect(await records.claim(key, 'print', 60_000)).toMatchObject({ state: 'inFlight' });
    });
  });

  it('F19 waits for a lock no longer than two seconds', async () => {
    const patient = new Database({ databaseUrl: url });
    try {
      await database.transaction(SYSTEM, async () => {
        await database.write(SYSTEM, { text: 'lock table application in access exclusive mode' });
        const start = performance.now();
        const outcome = await failure(patient.read(SYSTEM, { text: 'select 1 from application' }));
        expect(outcome).toMatchObject({ reason: 'timeout' });
        expect(performance.now() - start).toBeLessThan(3_500);
      });
    } finally {
      await patient.close();
    }
  });

  it('F5 F35 locks of a process that was cut off in a transaction are released', async () => {
    const network = await TcpProxy.to(port);
    const cutOff = new Database({ databaseUrl: network.through(url) });
    const held = Promise.withResolvers<void>();
    try {
      const lost = failure(
        cutOff.transaction(SYSTEM, async () => {
          await cutOff.write(SYSTEM, insertNamed('held'));
          await cutOff.write(SYSTEM, { text: 'lock table application in access exclusive mode' });
          await network.set({ type: 'hang' });
          held.resolve();
          await cutOff.write(SYSTEM, insertNamed('never'));
        }),
      );
      await held.promise;
      const start = performance.now();
      await eventually('the table is free', async () => (await failure(namesLike('held'))) === null || undefined, {
        timeoutMs: 30_000,
      });
      expect(performance.now() - start).toBeLessThan(15_000);
      expect(await lost).toBeInstanceOf(DatabaseUnavailable);
      expect(await namesLike('held')).toEqual([]);
    } finally {
      await network.clear();
      await cutOff.close();
      await network.close();
    }
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
  });

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
  });

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
  });
});
