// 55 s: processes are frozen for longer than their leases.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgres } from '../../apps/stack/src/postgres/embedded-postgres.js';
import { callService, startAnotherApi } from '../support/service.js';
import { answer } from '../support/faults.js';
import { eventually, temporaryDirectory } from '../support/processes.js';
import { blockLoop, EXHAUST_MEMORY, inside } from '../support/worker-inside.js';
import type { WorkerUnderTest } from '../support/worker.js';
import type { Subscribed } from '../support/webhook-system.js';
import { WebhookLoad } from './webhook-load.js';

/** Longer than the leases of looks and attempts, and the locks of jobs. */
const LONGER_THAN_ANY_LEASE_MS = 14_000;

/** A PostgreSQL of its own, which may die. A commit outlives that; a power cut is not what it is about. */
const SETTINGS = ['fsync=off', 'full_page_writes=off', 'shared_buffers=64MB'];

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let postgres: EmbeddedPostgres;
let databasePort: number;
let load: WebhookLoad;
const { TEST_DATABASE_URL: givenUrl } = process.env;

beforeAll(async () => {
  directory = await temporaryDirectory('faults-of-processes');
  postgres = new EmbeddedPostgres({ directory: directory.path, settings: SETTINGS });
  const { adminUrl, port } = await postgres.start();
  databasePort = port;
  process.env.TEST_DATABASE_URL = adminUrl;
  load = await WebhookLoad.start({}, 2);
});

/** I5; I3 and I4 hold after each of them. */
afterAll(() => load?.invariants.expectResourcesBack(), 120_000);

afterAll(async () => {
  await load?.stop();
  await postgres?.stop();
  await directory?.remove();
  if (givenUrl === undefined) delete process.env.TEST_DATABASE_URL;
  else process.env.TEST_DATABASE_URL = givenUrl;
});

afterEach(() => load.expectNothingLost(), 90_000);

describe('F5 F6 workers that stand still', () => {
  it('for longer than their leases: others go on, and what comes late is not written', async () => {
    for (const { path } of load.calendars) {
      load.system.receiver.endpoint(path, (request, response) => {
        setTimeout(() => answer(204)(request, response), 500);
      });
    }
    const { env, run } = await inside();
    const computing = await load.startWorker(env);
    const paused = load.workers[0]!;
    await load.during(async () => {
      await sleep(1_000);
      paused.child.kill('SIGSTOP');
      load.giveUp(paused);
      load.giveUp(computing);
      await run(blockLoop(LONGER_THAN_ANY_LEASE_MS));
      await sleep(LONGER_THAN_ANY_LEASE_MS);
      paused.child.kill('SIGCONT');
    });
    for (const worker of [paused, computing]) {
      await eventually('it says that it stood still', () => stalledMsOf(worker) > 10_000 || undefined);
      load.trust(worker);
    }
    for (const { path } of load.calendars) load.system.receiver.endpoint(path);
  });
});

function stalledMsOf({ stdout }: WorkerUnderTest): number {
  const stalls = stdout().matchAll(/"stalledMs":(\d+)/g);
  return Math.max(0, ...[...stalls].map(([, ms]) => Number(ms)));
}

describe('F7 a sync whose worker runs out of memory', () => {
  it('is left alone after the third time, and other calendars are synced', async () => {
    const victim = await load.system.subscribe('GOOGLE');
    const half = load.system.fixture.GOOGLE.half;
    await half.fault({ kind: 'api', email: victim.email }, { type: 'hang' });
    const others = load.workers;
    for (const worker of others) {
      load.giveUp(worker);
      await worker.stop();
    }
    for (let death = 1; death <= 3; death += 1) {
      const { env, run } = await inside('--max-old-space-size=80');
      // The lease of whoever had it before is over.
      await load.admin('update synced_calendar set next_sync_at = now() where calendar_id = $1', [victim.calendarId]);
      const worker = await load.startWorker(env);
      load.giveUp(worker);
      await eventually('it looks', async () => {
        // A look that has ended meanwhile, in vain, has to be due again.
        const due = await load.admin(
          'update synced_calendar set next_sync_at = now() where calendar_id = $1 and (sync_lease_id is null or next_sync_at <= now()) returning 1',
          [victim.calendarId],
        );
        return due.length === 0 ? true : undefined;
      });
      await run(EXHAUST_MEMORY);
      expect(await worker.exited).toBe('SIGABRT');
    }
    await load.admin("update synced_calendar set next_sync_at = now() - interval '1 ms' where calendar_id = $1", [
      victim.calendarId,
    ]);
    const back = await load.startWorker();
    await load.startWorker();
    await eventually('it is left alone', async () => {
      const said = load.workers.map(({ stdout }) => stdout()).join('');
      return said.includes('calendar sync suspended') ? true : undefined;
    });
    await half.clearFaults();
    await load.changeAll();
    expect(await back.probe('ready')).toBe(200);
  });
});

describe('F16 PostgreSQL', () => {
  it('stops at once under deliveries: calls are told when to come again, and everything is told after its return', async () => {
    const calls = await load.during(async () => {
      await sleep(500);
      // `pg_ctl stop -m immediate`
      process.kill(postgres.pid!, 'SIGQUIT');
      await sleep(3_000);
      expect(await statusOf(load.system.fixture.service.baseUrl, 'ready')).toBe(503);
      postgres = new EmbeddedPostgres({ directory: directory.path, port: databasePort, settings: SETTINGS });
      await postgres.start();
      await eventually('ready', async () =>
        (await statusOf(load.system.fixture.service.baseUrl, 'ready')) === 200 ? true : undefined,
      );
    });
    const rejected = calls.filter(({ status }) => status >= 300);
    expect(rejected.length).toBeGreaterThan(0);
    for (const call of rejected)
      expect(call).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
  });
});

async function statusOf(baseUrl: string, probe: string): Promise<number> {
  const { status } = await fetch(`${baseUrl}/health/${probe}`);
  return status;
}

describe('F3 an api that is to stop', () => {
  it('says so first, and answers two hundred slow requests', async () => {
    const { service, GOOGLE } = load.system.fixture;
    const own = await startAnotherApi({ ...service.env, SHUTDOWN_DELAY_MS: '10000' });
    const [one, , other] = load.calendars as [Subscribed, Subscribed, Subscribed];
    const { accountId, email } = one;
    // Of each account some wait for others: all of that is part of the time that a call of a provider has.
    await GOOGLE.half.fault({ kind: 'api' }, { type: 'delay', ms: 200 });
    await GOOGLE.half.clearRequests();
    const list = (_: unknown, index: number) => {
      const path = `/v1/calendars/${(index % 2 === 0 ? one : other).accountId}`;
      return callService(own.baseUrl, service.apiKey, 'GET', path, {});
    };
    const slow = Array.from({ length: 200 }, list);
    await eventually('they are under way', async () => ((await GOOGLE.apiCalls(email)) > 0 ? true : undefined));
    own.program.child.kill('SIGTERM');
    await eventually('not ready', async () => ((await statusOf(own.baseUrl, 'ready')) === 503 ? true : undefined));
    const late = await callService(own.baseUrl, service.apiKey, 'GET', `/v1/endUserAccounts/${accountId}`, {});
    expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
    const statuses = (await Promise.all(slow)).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(await own.program.exited).toBe(0);
    await GOOGLE.half.clearFaults();
  });
});

describe('F4 every process is replaced by another one', () => {
  it('and a client that tries again has every call served', async () => {
    const { service } = load.system.fixture;
    const { accountId } = load.calendars[0]!;
    // The clients ask as fast as they are answered: what their key may ask for is not the question here.
    const env = { ...service.env, SHUTDOWN_DELAY_MS: '500', RATE_LIMIT_RPS: '1000000' };
    const start = async () => startAnotherApi(env);
    /** In front of which the client's balancer stands. */
    const apis = [await start(), await start()];
    const outcomes: number[] = [];
    const state = { isOver: false };
    const client = async () => {
      for (let turn = 0; !state.isOver; turn += 1) {
        outcomes.push(await tryAgain(turn, (api) => statusOfCall(api.baseUrl, service.apiKey, accountId)));
      }
    };
    const tryAgain = async (turn: number, call: (api: { baseUrl: string }) => Promise<number>) => {
      let status = 0;
      for (let tries = 0; tries < 3 && (status < 200 || status >= 500); tries += 1) {
        status = await call(apis[(turn + tries) % apis.length]!).catch(() => 0);
      }
      return status;
    };
    const clients = Promise.all([client(), client(), client()]);
    try {
      await load.during(async () => {
        for (const [index, old] of [...apis].entries()) {
          apis[index] = await start();
          old.program.child.kill('SIGTERM');
          const worker = load.workers[0]!;
          await load.startWorker();
          load.giveUp(worker);
          expect(await worker.stop(25_000)).toBe(0);
          expect(await old.program.exited).toBe(0);
        }
      });
    } finally {
      // Whatever became of it: nobody else ends them.
      state.isOver = true;
      await clients;
      await Promise.all(apis.map(({ program }) => program.stop()));
    }
    expect(new Set(outcomes)).toEqual(new Set([200]));
  });
});

async function statusOfCall(baseUrl: string, apiKey: string, accountId: string): Promise<number> {
  return (await callService(baseUrl, apiKey, 'GET', `/v1/endUserAccounts/${accountId}`, {})).status;
}
