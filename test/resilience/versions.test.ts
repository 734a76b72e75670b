// 65 s: two builds start beside each other, twice.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { MIGRATION_NAMES } from '../../libs/persistence/src/migrations/names.js';
import pg from 'pg';
import { makeLaterBuild, migrate } from '../support/other-build.js';
import { createTestDatabase, untilAnotherWaitsFor } from '../support/postgres.js';
import { temporaryDirectory } from '../support/processes.js';
import { callService, startAnotherApi } from '../support/service.js';
import { WebhookLoad } from './webhook-load.js';

const ROOT = join(import.meta.dirname, '..', '..');
const EXPAND = {
  name: 'Migration29990101000000_nickname',
  statements: [
    'alter table "application" add "nickname" text null',
    'alter table "webhook_message" add "priority" int not null default 0',
    'alter table "end_user_account" add "nickname" text null',
  ],
};
const CONTRACT = {
  name: 'Migration29990201000000_contract_since_29990101000000_nickname',
  statements: ['alter table "application" drop column "nickname"'],
};

/** The version before, which is what is built here; the one that expands; and the one after, which contracts. */
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let load: WebhookLoad;
let expanding: string;
let contracting: string;

beforeAll(async () => {
  directory = await temporaryDirectory('versions');
  [expanding, contracting] = [join(directory.path, 'expanding'), join(directory.path, 'contracting')];
  const builds = Promise.all([makeLaterBuild(expanding, [EXPAND]), makeLaterBuild(contracting, [EXPAND, CONTRACT])]);
  load = await WebhookLoad.start({}, 1);
  await builds;
});

/** I5; I3 and I4 hold after each of them. */
afterAll(() => load?.invariants.expectResourcesBack(), 120_000);

afterAll(async () => {
  await load?.stop();
  await directory?.remove();
});

const env = () => load.system.fixture.service.env;

async function startApiOf(build: string) {
  return startAnotherApi(env(), build);
}

async function readsAndWrites({ baseUrl }: { baseUrl: string }): Promise<number[]> {
  const { apiKey } = load.system.fixture.service;
  const { accountId, calendarId } = load.calendars[1]!;
  const body = { title: 'By both', start: { date: '2026-12-20' }, end: { date: '2026-12-21' } };
  const calls = [
    callService(baseUrl, apiKey, 'GET', `/v1/endUserAccounts/${accountId}`, {}),
    callService(baseUrl, apiKey, 'POST', `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`, { body }),
  ];
  return (await Promise.all(calls)).map(({ status }) => status);
}

describe('F40 two versions on one schema', () => {
  /** Runs `work` in the session whose lock on `end_user_account` a migration waits for, and expects that migration to end. */
  async function whileMigrationWaits(settings: string, work: (holder: pg.Client, url: string) => Promise<unknown>) {
    const database = await createTestDatabase();
    const holder = new pg.Client({ connectionString: database.adminUrl });
    await holder.connect();
    try {
      await holder.query(`${settings} begin; lock table end_user_account`);
      const migrated = migrate(expanding, { ...env(), DATABASE_URL: database.url });
      await untilAnotherWaitsFor(holder, 'end_user_account');
      await work(holder, database.adminUrl);
      await holder.query('commit');
      expect(await migrated).toMatchObject({ exitCode: 0, applied: [EXPAND.name] });
    } finally {
      await holder.end();
      await database.drop();
    }
  }

  it('a migration that waits for a table lets requests have the others', async () => {
    await whileMigrationWaits('', async (_holder, url) => {
      const request = new pg.Client({ connectionString: url, statement_timeout: 5_000 });
      await request.connect();
      try {
        await request.query('select * from application');
      } finally {
        await request.end();
      }
    });
  });

  it('a migration that the running version deadlocks with begins anew', async () => {
    // The migration is the one that PostgreSQL ends.
    const settings = "set deadlock_timeout = '1h'; set lock_timeout = '30s';";
    await whileMigrationWaits(settings, (holder) => holder.query('lock table application'));
  });

  it('are both served by what the newer one added, which two migrate at once, and the older one can be rolled back to', async () => {
    const calls = await load.during(async () => {
      const outcomes = await Promise.all([migrate(expanding, env()), migrate(expanding, env())]);
      for (const outcome of outcomes) expect(outcome).toMatchObject({ exitCode: 0 });
      expect(outcomes.flatMap(({ applied }) => applied)).toEqual([EXPAND.name]);
      await load.startWorker({}, expanding);
      const before = await startApiOf(ROOT);
      const after = await startApiOf(expanding);
      for (const api of [before, after]) expect(await readsAndWrites(api)).toEqual([200, 200]);
      // What a rollback runs first, and a process of the version before that is started again.
      expect(await migrate(ROOT, env())).toMatchObject({ exitCode: 0, applied: [] });
      await load.startWorker();
      await Promise.all([before, after].map(({ program }) => program.stop()));
      await sleep(1_000);
    });
    expect(calls.filter(({ status }) => status >= 300)).toEqual([]);
    await load.expectNothingLost();
  });

  it('are served until the end of what was taken away, and the one that needs it refuses to start', async () => {
    expect(await migrate(contracting, env())).toMatchObject({ exitCode: 0, applied: [CONTRACT.name] });
    const message = new RegExp(`29990101000000.*${MIGRATION_NAMES.at(-1)}`);
    await expect(startApiOf(ROOT)).rejects.toThrow(message);
    expect(await migrate(ROOT, env())).toMatchObject({ exitCode: 1, said: expect.stringMatching(message) });
    const after = await startApiOf(expanding);
    expect(await readsAndWrites(after)).toEqual([200, 200]);
    await after.program.stop();
  });
});
