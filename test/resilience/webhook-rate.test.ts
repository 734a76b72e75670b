// 70 s: rates per second are seen over seconds, in several processes.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { WebhookEndpoint } from '#domain/webhooks';
import { compileLibs, type CompiledLibs } from '../support/compiled-libs.js';
import { KEY_ENTRY, openPersistence, type Persistence } from '../persistence/persistence.js';
import {
  backlog,
  claim,
  delivered,
  newSyncedCalendar,
  record,
  subscribe,
  tryClaim,
} from '../persistence/webhook-fixture.js';

const ROOT = join(import.meta.dirname, '..', '..');

let persistence: Persistence;
let libs: CompiledLibs;
const children: ChildProcess[] = [];

beforeAll(async () => {
  persistence = await openPersistence();
  libs = await compileLibs(['persistence']);
  await copyFile(join(import.meta.dirname, 'webhook-worker.mjs'), join(libs.directory, 'webhook-worker.mjs'));
});

afterAll(async () => {
  await libs.remove();
  await persistence.close();
});

beforeEach(() => persistence.admin('delete from webhook_message'));

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

/** A process that takes what is due and makes attempts that succeed at once. */
async function startWorker(): Promise<ChildProcess> {
  const child = fork(join(libs.directory, 'webhook-worker.mjs'), {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], DATABASE_URL: persistence.testDatabase.url, ENCRYPTION_KEYS: KEY_ENTRY },
    execPath: join(ROOT, 'node_modules/node/bin/node'),
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children.push(child);
  await once(child, 'message');
  return child;
}

/** Starts that were given out, in seconds, in order. */
async function starts(endpoint: WebhookEndpoint): Promise<number[]> {
  const rows = await persistence.admin<{ at: number }>(
    'select extract(epoch from a.started_at)::float8 as at from delivery_attempt a ' +
      'join webhook_message m on m.id = a.message_id where m.endpoint_id = $1 order by a.started_at',
    [endpoint.id],
  );
  return rows.map(({ at }) => at);
}

/** Most starts in any second. */
function maxPerSecond(times: number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1).length));
}

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((done) => setTimeout(done, 50));
}

const newEndpoint = async (rateLimit: number) =>
  subscribe(persistence, await newSyncedCalendar(persistence), { rateLimit });

describe('the rate of an endpoint', () => {
  it('W8 is held over processes, and used', async () => {
    const endpoint = await newEndpoint(40);
    await backlog(persistence, endpoint, 10_000);
    await Promise.all([startWorker(), startWorker(), startWorker()]);
    await until(async () => (await starts(endpoint)).length >= 160);
    const times = await starts(endpoint);
    expect(maxPerSecond(times)).toBeLessThanOrEqual(40);
    const tries = await persistence.admin('select 1 from webhook_message where endpoint_id = $1 and tries > 1', [
      endpoint.id,
    ]);
    expect(tries).toEqual([]);
  });

  it('W8 takes effect when it is changed, for messages that wait, too', async () => {
    const endpoint = await newEndpoint(2);
    await backlog(persistence, endpoint, 500);
    await startWorker();
    await until(async () => (await starts(endpoint)).length >= 3);
    await persistence.endpoints.setRateLimit({ applicationId: endpoint.applicationId }, endpoint.id, 50);
    await until(async () => (await starts(endpoint)).length >= 150);
    expect(maxPerSecond(await starts(endpoint))).toBeLessThanOrEqual(50);
    await persistence.endpoints.setRateLimit({ applicationId: endpoint.applicationId }, endpoint.id, null);
    await until(async () => (await starts(endpoint)).length >= 500);
  });

  it('W9 F1 loses nothing when a worker is killed', async () => {
    const endpoint = await subscribe(persistence, await newSyncedCalendar(persistence));
    const ids = await backlog(persistence, endpoint, 600);
    const [first] = await Promise.all([startWorker(), startWorker()]);
    await until(async () => (await starts(endpoint)).length >= 50);
    first?.kill('SIGKILL');
    const left = () => persistence.admin("select 1 from webhook_message where state <> 'delivered'");
    await until(async () => {
      // What it had taken out and not claimed comes again in 45 s; nobody needs to wait for that.
      await persistence.admin(
        "update webhook_message set enqueue_at = now() where enqueue_at > now() + interval '9 seconds'",
      );
      return (await left()).length === 0;
    });
    const attempts = await persistence.admin<{ ended: number }>(
      'select count(duration_ms)::int as ended from delivery_attempt where message_id = any($1) group by message_id',
      [ids],
    );
    expect(attempts).toHaveLength(600);
    expect(new Set(attempts.map(({ ended }) => ended))).toEqual(new Set([1]));
  });

  it('gives out a start within the wait that the caller accepts, or says when to come back; nothing is taken then', async () => {
    const endpoint = await newEndpoint(2);
    const ids = (await backlog(persistence, endpoint, 5)) as [string, string, string, string, string];
    expect((await claim(persistence, ids[0])).startsInMs).toBe(0);
    const second = await claim(persistence, ids[1]);
    expect(second.startsInMs).toBeGreaterThan(0);
    expect(second.startsInMs).toBeLessThanOrEqual(515);
    const rejected = await tryClaim(persistence, ids[2], { aheadMs: 0 });
    expect(rejected).toEqual({ state: 'later', inMs: expect.any(Number) });
    expect(await persistence.messages.attempts({ applicationId: endpoint.applicationId }, ids[2])).toEqual([]);
    await record(persistence, second, delivered);
    const [first, next] = await starts(endpoint);
    expect(Number(next) - Number(first)).toBeCloseTo(1.03 / 2, 2);
  });

  it('W8 gives out starts that lie as far apart as the rate says, whatever giving them out takes', async () => {
    const endpoint = await newEndpoint(40);
    for (const id of await backlog(persistence, endpoint, 20)) await claim(persistence, id);
    const times = (await starts(endpoint)).map(Number);
    const gaps = times.slice(1).map((time, index) => time - times[index]!);
    expect(gaps).toHaveLength(19);
    expect(Math.min(...gaps)).toBeGreaterThan(1.03 / 40 - 0.001); // written down in milliseconds
  });

  it('lets no more into the queue than may start soon, and others pass', async () => {
    const slow = await newEndpoint(5);
    const fast = await subscribe(persistence, await newSyncedCalendar(persistence));
    await backlog(persistence, slow, 1_000);
    const [one] = (await backlog(persistence, fast, 1)) as [string];
    const taken = (await persistence.messages.claimForQueue(2_000)).map(({ id }) => id);
    expect(taken).toContain(one);
    expect(taken.length).toBeGreaterThan(5);
    expect(taken.length).toBeLessThan(50);
  });
});
