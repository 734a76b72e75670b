// 30 s: it plans the checks of 100,000 accounts.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApplicationRef } from '#domain/applications';
import { openPersistence, type Persistence } from './persistence.js';

let persistence: Persistence;
let elsewhere: Persistence;
/** Has not heard of any refusal yet. */
let fresh: Persistence;
let application: ApplicationRef;
let statements: string[] = [];

beforeAll(async () => {
  persistence = await openPersistence({ onStatement: ({ text }) => void statements.push(text) });
  elsewhere = await openPersistence({ testDatabase: persistence.testDatabase });
  fresh = await openPersistence({ testDatabase: persistence.testDatabase });
  application = await persistence.newApplication();
});

afterAll(async () => {
  await elsewhere.close();
  await fresh.close();
  await persistence.close();
});

beforeEach(async () => {
  await persistence.admin('truncate end_user_account cascade');
});

const MINUTE_MS = 60_000;
const google = (n: number | string) => ({
  providerType: 'GOOGLE' as const,
  serverUrl: null,
  providerAccountId: `sub-${n}`,
});
const claim = (limit = 100, given: Partial<Parameters<Persistence['health']['claimDue']>[0]> = {}) =>
  persistence.health.claimDue({
    limit,
    intervalMs: { GOOGLE: 10 * MINUTE_MS, CALDAV: 5 * MINUTE_MS },
    spread: 0.1,
    ...given,
  });
const makeDue = () => persistence.admin("update credential_check set next_check_at = now() - interval '1 second'");
const nextChecks = () =>
  persistence.admin<{ id: string; ms: number }>(
    'select end_user_account_id as id, extract(epoch from next_check_at - now())::float8 * 1000 as ms ' +
      'from credential_check',
  );
const checkedAt = async () =>
  (await persistence.admin<{ checked_at: Date | null }>('select checked_at from credential_check')).map(
    (row) => row.checked_at,
  );

describe('claims of due checks', () => {
  it('give every new account a place in its interval', async () => {
    const oauth = await persistence.newAccount(application, google(1));
    const password = await persistence.newAccount(application);
    expect(await claim()).toEqual([]);
    const placed = new Map((await nextChecks()).map(({ id, ms }) => [id, ms]));
    expect(placed.get(oauth.id)).toBeLessThanOrEqual(10 * MINUTE_MS);
    expect(placed.get(password.id)).toBeLessThanOrEqual(5 * MINUTE_MS);
  });

  it('give a due account out once, with the next check after its interval, give or take the spread', async () => {
    const oauth = await persistence.newAccount(application, google(1));
    const password = await persistence.newAccount(application);
    await claim();
    await makeDue();
    expect(await checkedAt()).toEqual([null, null]);
    const due = await claim();
    expect(await checkedAt()).toEqual([expect.any(Date), expect.any(Date)]);
    expect(due).toHaveLength(2);
    expect(due).toEqual(expect.arrayContaining([oauth, password].map(({ id }) => ({ ...application, accountId: id }))));
    expect(await claim()).toEqual([]);
    const next = new Map((await nextChecks()).map(({ id, ms }) => [id, ms / MINUTE_MS]));
    // Seconds have passed since the claim on a busy machine; none are gained.
    expect(next.get(oauth.id)).toBeGreaterThan(8);
    expect(next.get(oauth.id)).toBeLessThanOrEqual(11);
    expect(next.get(password.id)).toBeGreaterThan(3.5);
    expect(next.get(password.id)).toBeLessThanOrEqual(5.5);
  });

  it('pass over accounts that are EXPIRED, which do not stand in the way of others', async () => {
    for (let n = 0; n < 5; n += 1) await persistence.newAccount(application, google(n));
    await claim();
    await makeDue();
    await persistence.admin("update end_user_account set status = 'EXPIRED'");
    const alive = await persistence.newAccount(application, google('alive'));
    await persistence.health.checkBy(application, alive.id, new Date(Date.now() - 500));
    expect(await claim(2)).toEqual([{ ...application, accountId: alive.id }]);
    expect((await checkedAt()).filter((at) => at !== null)).toHaveLength(1);
    expect(await claim(2)).toEqual([]);
    expect((await nextChecks()).every(({ ms }) => ms > 0)).toBe(true);
  });

  it('find the accounts again that were connected anew', async () => {
    const { id } = await persistence.newAccount(application, google(1));
    await persistence.accounts.setStatus(application, id, 'EXPIRED', 'invalid_grant');
    await claim();
    await makeDue();
    expect(await claim()).toEqual([]);
    await persistence.newAccount(application, google(1));
    await makeDue();
    expect(await claim()).toEqual([{ ...application, accountId: id }]);
  });

  it('give no account out whose provider has no interval, and leave it alone for a day', async () => {
    await persistence.newAccount(application, { providerType: 'APPLE', serverUrl: null });
    await claim();
    await makeDue();
    expect(await claim()).toEqual([]);
    expect((await nextChecks())[0]?.ms).toBeGreaterThan(20 * 60 * MINUTE_MS);
  });

  it('do not wait for an account that somebody else is at', async () => {
    const [busy, free] = [await persistence.newAccount(application), await persistence.newAccount(application)];
    await claim();
    await makeDue();
    await persistence.unitOfWork.run(application, async () => {
      await persistence.health.recordUse(application, busy.id, new Date());
      const due = await elsewhere.health.claimDue({ limit: 9, intervalMs: { CALDAV: MINUTE_MS }, spread: 0 });
      expect(due).toEqual([{ ...application, accountId: free.id }]);
    });
    expect(await claim()).toEqual([{ ...application, accountId: busy.id }]);
  });

  it('T8 from three schedulers at once give no account to two of them', async () => {
    await manyAccounts(3_000);
    await placeAll({ GOOGLE: 10 * MINUTE_MS });
    await makeDue();
    const schedulers = [persistence, elsewhere, persistence];
    const claimed = await Promise.all(
      schedulers.map(async ({ health }) => {
        const mine: string[] = [];
        for (;;) {
          const due = await health.claimDue({ limit: 100, intervalMs: { GOOGLE: 10 * MINUTE_MS }, spread: 0.1 });
          mine.push(...due.map(({ accountId }) => accountId));
          if (due.length === 0) return mine;
        }
      }),
    );
    // Whoever finds the rest taken by the others stops early: one more round finds what they left.
    const all = [...claimed.flat(), ...(await claim(3_000)).map(({ accountId }) => accountId)];
    expect(new Set(all).size).toBe(3_000);
    expect(all).toHaveLength(3_000);
  });

  it('T8 spread 100,000 accounts evenly: the busiest minute has at most 1.5 times the mean', async () => {
    await manyAccounts(100_000);
    await placeAll({ GOOGLE: 60 * MINUTE_MS });
    const perMinute = await persistence.admin<{ checks: number }>(
      "select count(*)::int as checks from credential_check group by date_bin('1 minute', next_check_at, 'epoch')",
    );
    expect(perMinute.reduce((sum, { checks }) => sum + checks, 0)).toBe(100_000);
    expect(Math.max(...perMinute.map(({ checks }) => checks))).toBeLessThanOrEqual((1.5 * 100_000) / 60);
  });

  it('T8 keep what was spread evenly so, check after check', async () => {
    // Three intervals: some 500 accounts a minute, each claimed in the minute in which it is due.
    const intervalMs = { GOOGLE: 10 * MINUTE_MS };
    await manyAccounts(5_000);
    await placeAll(intervalMs);
    const perMinute: number[] = [];
    for (let minute = 0; minute < 30; minute += 1) {
      await persistence.admin("update credential_check set next_check_at = next_check_at - interval '1 minute'");
      perMinute.push((await claim(5_000, { intervalMs })).length);
    }
    const mean = perMinute.reduce((a, b) => a + b) / perMinute.length;
    expect(mean).toBeGreaterThan(450);
    expect(Math.max(...perMinute) / mean).toBeLessThanOrEqual(1.5);
  });
});

describe('an earlier check', () => {
  it('can be asked for, and does not put an even earlier one off', async () => {
    const { id } = await persistence.newAccount(application, google(1));
    const at = async () => (await nextChecks()).find((row) => row.id === id)?.ms ?? NaN;
    await persistence.health.checkBy(application, id, new Date(Date.now() + 30_000));
    expect(await at()).toBeLessThanOrEqual(30_000);
    await persistence.health.checkBy(application, id, new Date(Date.now() + 60_000));
    expect(await at()).toBeLessThanOrEqual(30_000);
    await persistence.health.checkBy(application, id, new Date(Date.now() - 1));
    expect(await claim()).toEqual([{ ...application, accountId: id }]);
    expect(await at()).toBeGreaterThan(8 * MINUTE_MS);
    await persistence.health.checkBy(application, id, new Date(Date.now() + 30_000));
    expect(await at()).toBeLessThanOrEqual(30_000);
  });

  it('of an account that is not there is nothing', async () => {
    for (const gone of ['0197a000-0000-7000-8000-000000000000', 'x']) {
      await expect(persistence.health.checkBy(application, gone, new Date())).resolves.toBeUndefined();
    }
  });
});

describe('the use of an account', () => {
  it('is remembered, to within five minutes, and never backwards', async () => {
    const { id } = await persistence.newAccount(application, google(1));
    const start = Date.UTC(2026, 10, 21, 12);
    const after = async (minutes: number) => {
      await persistence.health.recordUse(application, id, new Date(start + minutes * MINUTE_MS));
      const lastUsedAt = (await persistence.health.activity(application, id))?.lastUsedAt ?? null;
      return lastUsedAt === null ? null : (lastUsedAt.getTime() - start) / MINUTE_MS;
    };
    expect(await persistence.health.activity(application, id)).toEqual({ lastUsedAt: null, acceptedAt: null });
    expect(await after(0)).toBe(0);
    expect(await after(4)).toBe(0);
    expect(await after(6)).toBe(6);
    expect(await after(1)).toBe(6);
    expect(await persistence.health.activity(application, 'x')).toBeNull();
    await persistence.health.recordUse(application, 'x', new Date());
  });
});

describe('the proof of credentials', () => {
  it('is the last one, and none while the provider rejects them', async () => {
    const { id } = await persistence.newAccount(application, google(1));
    await persistence.credentials.put(application, id, { kind: 'password', password: 'p' });
    const at = new Date('2026-11-21T12:00:00Z');
    const acceptedAt = async () => (await persistence.health.activity(application, id))?.acceptedAt;
    await persistence.health.recordAccepted(application, id, at);
    await persistence.health.recordAccepted(application, id, new Date(at.getTime() - 1));
    expect(await acceptedAt()).toEqual(at);
    await persistence.health.recordRejection(application, id, 1);
    expect(await acceptedAt()).toBeNull();
    await persistence.health.clearRejection(application, id);
    expect(await acceptedAt()).toEqual(at);
    await persistence.health.recordAccepted(application, 'x', at);
  });
});

describe('T16 refusals', () => {
  it('of one version are counted from the first, by the database clock', async () => {
    const { id } = await persistence.newAccount(application);
    const first = await persistence.health.recordRejection(application, id, 3);
    expect(first.sinceMs).toBeLessThan(31_000);
    await persistence.admin(
      "update credential_check set first_rejected_at = first_rejected_at - interval '31 seconds'",
    );
    const second = await elsewhere.health.recordRejection(application, id, 3);
    expect(second.sinceMs).toBeGreaterThanOrEqual(31_000);
    expect(second.firstRejectedAt.getTime()).toBe(first.firstRejectedAt.getTime() - 31_000);
  });

  it('of another version start anew', async () => {
    const { id } = await persistence.newAccount(application);
    await persistence.health.recordRejection(application, id, 3);
    await persistence.admin(
      "update credential_check set first_rejected_at = first_rejected_at - interval '31 seconds'",
    );
    expect((await persistence.health.recordRejection(application, id, 4)).sinceMs).toBeLessThan(31_000);
  });

  it.each([
    ['this', () => persistence],
    ['another', () => fresh],
  ])('are forgotten by a success in %s process', async (_which, process) => {
    const { id } = await persistence.newAccount(application);
    await persistence.health.recordRejection(application, id, 3);
    await process().health.clearRejection(application, id);
    expect(await persistence.admin('select rejected_version, first_rejected_at from credential_check')).toEqual([
      { rejected_version: null, first_rejected_at: null },
    ]);
  });

  it('that are not there cost a success no statement', async () => {
    const { id } = await persistence.newAccount(application);
    await persistence.health.clearRejection(application, id); // may read the list
    statements = [];
    for (let count = 0; count < 100; count += 1) await persistence.health.clearRejection(application, id);
    // Not even one on a fast machine; on a slow one the list is read again.
    expect(statements.length).toBeLessThan(10);
    expect(statements.filter((text) => !text.trimStart().startsWith('select end_user_account_id'))).toEqual([]);
  });

  it('outlive the transaction in which they were noted', async () => {
    const { id } = await persistence.newAccount(application);
    const failing = persistence.unitOfWork.run(application, async () => {
      await persistence.health.recordRejection(application, id, 3);
      throw new Error('later step');
    });
    await expect(failing).rejects.toThrow('later step');
    expect(await persistence.admin('select rejected_version from credential_check')).toEqual([{ rejected_version: 3 }]);
  });

  it('T14 of an account that is gone are NotFound', async () => {
    const { id } = await persistence.newAccount(application);
    await persistence.accounts.delete(application, id);
    for (const gone of [id, 'x']) {
      await expect(persistence.health.recordRejection(application, gone, 1)).rejects.toMatchObject({
        code: 'NotFound',
      });
      await persistence.health.clearRejection(application, gone);
    }
  });
});

/** ACTIVE GOOGLE accounts, made past the repository: there are many of them. */
async function manyAccounts(count: number): Promise<void> {
  const { providerId } = await persistence.newAccount(application, google('first'));
  await persistence.admin(
    'insert into end_user_account (id, application_id, provider_configuration_id, provider_type, email, ' +
      'authorized_scopes, provider_account_id, status, created_at, updated_at) ' +
      "select gen_random_uuid(), $1, $2, 'GOOGLE', n || '@example.org', '{}', 'n' || n, 'ACTIVE', now(), now() " +
      'from generate_series(2, $3) n',
    [application.applicationId, providerId, count],
  );
  await persistence.admin(
    'insert into credential_check (end_user_account_id, application_id) select id, application_id from end_user_account ' +
      'on conflict do nothing',
  );
  // What autovacuum does within a minute: until then statements are planned for the few rows that there were.
  await persistence.admin('analyze end_user_account, credential_check');
}

/** Gives all of them their place in the interval; none is due then. */
async function placeAll(intervalMs: { GOOGLE: number }): Promise<void> {
  const unplaced = () => persistence.admin('select 1 from credential_check where next_check_at is null limit 1');
  while ((await unplaced()).length > 0) await claim(1, { intervalMs });
}
