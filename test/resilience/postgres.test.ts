// 60 s: PostgreSQL is killed, slowed, locked and failed over, with callers all the time.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgres } from '../../apps/stack/src/postgres/embedded-postgres.js';
import { asAdmin } from '../support/postgres.js';
import { reducedCheck } from '../support/reduced-check.js';
import { eventually, temporaryDirectory } from '../support/processes.js';
import type { Answer } from '../support/service.js';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.js';
import { startStandby, type Standby } from '../support/standby.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { WebhookLoad, type SeenCall } from './webhook-load.js';

/** Commits have to survive a failover, not a power cut. */
const SETTINGS = ['fsync=off', 'full_page_writes=off', 'shared_buffers=64MB'];
/** What a call may take that waits for a connection, and then for a lock, and what a busy machine adds. */
const MAX_WAIT_MS = 8_000;
/** Tables to which every call or delivery adds. */
const GROWING = [
  'end_user_account',
  'credential',
  'idempotency_record',
  'outbox',
  'webhook_message',
  'delivery_attempt',
];

/** Everybody's way to the database leads through a proxy, and to its standby after a failover. */
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let primary: EmbeddedPostgres;
/** Of the first primary, for a superuser, past the proxy. */
let maintenanceUrl: string;
let standby: Standby;
let proxy: TcpProxy;
let disk: SmallDisk | null;
let load: WebhookLoad;
const { TEST_DATABASE_URL: givenUrl } = process.env;

beforeAll(async () => {
  directory = await temporaryDirectory('faults-of-postgres');
  const own = join(directory.path, 'primary');
  primary = new EmbeddedPostgres({ directory: own, settings: SETTINGS });
  const { adminUrl, port } = await primary.start();
  maintenanceUrl = adminUrl;
  disk = await mountSmallDisk(join(directory.path, 'disk'), join(own, 'cluster'), 48);
  standby = await startStandby({ directory: own, adminUrl }, join(directory.path, 'standby'), SETTINGS);
  proxy = await TcpProxy.to(port);
  process.env.TEST_DATABASE_URL = proxy.through(adminUrl);
  load = await WebhookLoad.start({}, 2);
});

/** I5; I3 and I4 hold after each of them. */
afterAll(() => load?.invariants.expectResourcesBack(), 120_000);

afterAll(async () => {
  await load?.stop();
  await proxy?.close();
  await standby?.server.stop();
  await primary?.stop();
  await disk?.remove();
  await directory?.remove();
  if (givenUrl === undefined) delete process.env.TEST_DATABASE_URL;
  else process.env.TEST_DATABASE_URL = givenUrl;
});

afterEach(() => load.expectNothingLost(), 120_000);

/** The service's database, past the proxy. */
function ownDatabase(serverUrl: string): string {
  const { pathname } = new URL(load.system.fixture.service.adminDatabaseUrl);
  return Object.assign(new URL(serverUrl), { pathname }).href;
}

function expectServedOrNotified(calls: SeenCall[]): void {
  for (const call of calls.filter(({ status }) => status >= 300)) {
    expect(call).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
    expect(call.ms).toBeLessThan(MAX_WAIT_MS + 4_000);
  }
}

/** A new event under a key of its own, asked for until it is there. */
async function createWithRetries(title: string): Promise<void> {
  const { accountId, calendarId } = load.calendars[0]!;
  const start = { dateTime: '2026-12-03T10:00:00', timeZone: 'UTC' };
  const end = { dateTime: '2026-12-03T11:00:00', timeZone: 'UTC' };
  await eventually(`${title} is made`, async () => {
    const { status }: Answer = await load.system.fixture.service.call(
      'POST',
      `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`,
      { body: { title, start, end }, headers: { 'idempotency-key': title } },
    );
    if (status === 200) return true;
    // In flight: the request of before lost its answer, not its life.
    expect([409, 503]).toContain(status);
    return undefined;
  });
}

async function madeEvents(titles: string[]): Promise<string[]> {
  const { accountId, calendarId } = load.calendars[0]!;
  const { body } = await load.system.fixture.service.call(
    'GET',
    `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`,
    { query: { startDateTime: '2026-12-03T00:00:00Z', endDateTime: '2026-12-04T00:00:00Z' } },
  );
  return body.data
    .map(({ title }: { title: string }) => title)
    .filter((title: string) => titles.includes(title))
    .toSorted();
}

describe('F18 all backends of PostgreSQL are killed', () => {
  it('again and again: reads are served, writes with a key are made once', async () => {
    const titles = Array.from({ length: 6 }, (_, index) => `Killed ${index}`);
    const calls = await load.during(async () => {
      const writing = Promise.all(titles.map(createWithRetries));
      for (let time = 0; time < 5; time += 1) {
        await asAdmin(maintenanceUrl, (admin) =>
          admin.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'unified-calendar%'",
          ),
        );
        // A read is sent once more: longer than two take on a busy machine.
        await sleep(4_000);
      }
      await writing;
    });
    expectServedOrNotified(calls);
    expect(calls.filter(({ method, status }) => method === 'GET' && status !== 200)).toEqual([]);
    expect(await madeEvents(titles)).toEqual(titles);
  });
});

describe('F19 a table is locked, and every connection waits for it', () => {
  it('callers are told within seconds, processes live, and everything goes on without a deadlock', async () => {
    const { service } = load.system.fixture;
    const { accountId } = load.calendars[0]!;
    const [{ deadlocks: before }] = await deadlocks();
    const waiting: { status: number; ms: number; retryAfter: string | null }[] = [];
    await load.during(() =>
      asAdmin(ownDatabase(maintenanceUrl), async (admin) => {
        await admin.query('begin');
        await admin.query('lock table end_user_account in access exclusive mode');
        const call = async () => {
          const startedAtMs = performance.now();
          const { status, headers } = await service.call('GET', `/v1/endUserAccounts/${accountId}`);
          waiting.push({ status, ms: performance.now() - startedAtMs, retryAfter: headers.get('retry-after') });
        };
        // Three times as many as there are connections.
        await Promise.all(Array.from({ length: 60 }, call));
        for (const { baseUrl } of [service, ...load.workers]) {
          const startedAtMs = performance.now();
          expect((await fetch(`${baseUrl}/health/live`)).status).toBe(200);
          expect(performance.now() - startedAtMs).toBeLessThan(1_000);
        }
        await admin.query('rollback');
      }),
    );
    for (const each of waiting) expect(each).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
    expect(Math.max(...waiting.map(({ ms }) => ms))).toBeLessThan(MAX_WAIT_MS);
    expect((await service.call('GET', `/v1/endUserAccounts/${accountId}`)).status).toBe(200);
    expect(await deadlocks()).toEqual([{ deadlocks: before }]);
  });

  const deadlocks = () =>
    load.admin('select deadlocks::int as deadlocks from pg_stat_database where datname = current_database()');
});

describe('F20 PostgreSQL is slow', () => {
  it('by 100 ms a turn: everything is served', async () => {
    const calls = await load.during(async () => {
      await proxy.set({ type: 'latency', ms: 100 });
      await sleep(3_000);
      await proxy.clear();
    });
    expect(calls.filter(({ status }) => status >= 300)).toEqual([]);
  });

  it('and answers nothing at all: callers are told in time', async () => {
    const calls = await load.during(async () => {
      await proxy.set({ type: 'hang' });
      await sleep(7_000);
      await proxy.clear();
    });
    expect(calls.filter(({ status }) => status === 503).length).toBeGreaterThan(0);
    expectServedOrNotified(calls);
  });
});

describe('F17 PostgreSQL fails over to its standby', () => {
  it('writes are taken again within ten seconds, and nothing is lost', async () => {
    const titles = Array.from({ length: 6 }, (_, index) => `Failed over ${index}`);
    let maxOutageMs = 0;
    const calls = await load.during(async () => {
      await sleep(1_000);
      const tickStartedAtMs = performance.now();
      const writing = Promise.all(titles.map(createWithRetries)).then(() => {
        maxOutageMs = performance.now() - tickStartedAtMs;
      });
      // The old primary is put aside as operators and their tools do it: it lives, and takes no writes.
      await asAdmin(maintenanceUrl, async (admin) => {
        await admin.query('alter system set default_transaction_read_only = on');
        await admin.query('select pg_reload_conf()');
      });
      await standby.promote();
      proxy.leadTo(standby.port);
      await writing;
      process.kill(primary.pid!, 'SIGQUIT');
      await sleep(2_000);
    });
    expectServedOrNotified(calls);
    expect(maxOutageMs).toBeLessThan(10_000);
    expect(await madeEvents(titles)).toEqual(titles);
    expect(
      await asAdmin(standby.adminUrl, async (admin) => (await admin.query('select pg_is_in_recovery()')).rows),
    ).toEqual([{ pg_is_in_recovery: false }]);
  });
});

describe('F20 the disk of PostgreSQL is full', () => {
  /**
   * After the failover: a standby would use the same directory. On a small disk of its own; where none can be mounted, the server is made to say what
   * it says of a full one.
   */
  async function fillDisk(): Promise<() => Promise<void>> {
    const url = ownDatabase(standby.adminUrl);
    if (disk === null) {
      reducedCheck('F20 the disk of PostgreSQL is full', 'nothing can be mounted here');
      await asAdmin(url, async (admin) => {
        await admin.query(
          "create function full_disk() returns trigger language plpgsql as 'begin raise sqlstate ''53100''; end'",
        );
        for (const table of GROWING) {
          await admin.query(`create trigger full_disk before insert on ${table} execute function full_disk()`);
        }
      });
      return () => asAdmin(url, async (admin) => void (await admin.query('drop function full_disk cascade')));
    }
    const { path, fill, free } = disk;
    await asAdmin(url, async (admin) => {
      await admin.query(`create tablespace small location '${path}'`);
      for (const table of GROWING) await admin.query(`alter table ${table} set tablespace small`);
    });
    await fill();
    return free;
  }

  it('no account is there by half, nothing that was to be told is lost, and it goes on when there is space', async () => {
    const { GOOGLE } = load.system.fixture;
    const rejected: number[] = [];
    const calls = await load.during(async () => {
      const free = await fillDisk();
      await eventually('an account is refused', async () => {
        const email = GOOGLE.someone();
        const outcome = await GOOGLE.connected(email).then(
          () => 200,
          (error: Error) => Number(/: (\d{3}) /.exec(error.message)?.[1]),
        );
        if (outcome !== 200) rejected.push(outcome);
        return rejected.length >= 3 ? true : undefined;
      });
      await free();
    });
    expect(new Set(rejected)).toEqual(new Set([503]));
    expectServedOrNotified(calls);
    const [{ halves }] = await load.admin(`
      select count(*)::int as halves from end_user_account a full join credential c on c.end_user_account_id = a.id
       where a.id is null or c.id is null`);
    expect(halves).toBe(0);
    expect((await load.callOnce()).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
