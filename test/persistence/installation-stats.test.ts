// Takes half a minute: it fills the tables with 100,000 accounts, whose plans and counts a small table would not show.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { InstallationStats } from '#domain/system';
import type { WebhookEndpoint } from '#domain/webhooks';
import { SYSTEM } from '#persistence';
import { COUNTS, MAX_DUE_SYNCS } from '../../libs/persistence/src/repositories/sampled-metrics.statements.js';
import { nodesOf, type ExplainedRow } from '../support/query-plan.js';
import { openPersistence, type Persistence } from './persistence.js';
import {
  backlog,
  claim,
  failed,
  interrupted,
  newSyncedCalendar,
  openChannel,
  record,
  subscribe,
  type SyncedCalendarFixture,
} from './webhook-fixture.js';

let persistence: Persistence;
const count = () => persistence.module.get(InstallationStats).count(['CALDAV', 'GOOGLE']);

beforeAll(async () => {
  persistence = await openPersistence();
});
afterAll(() => persistence.close());
beforeEach(async () => {
  for (const table of ['webhook_message', 'application', 'mass_expiry_breaker'])
    await persistence.admin(`delete from ${table}`);
});

const subscribed = async (): Promise<WebhookEndpoint> => subscribe(persistence, await newSyncedCalendar(persistence));

describe('what is counted of an installation', () => {
  it('is nothing where there is nothing', async () => {
    expect(await count()).toEqual({
      ...{ accounts: [], channels: [], trippedBreakers: [], messages: { due: 0, scheduled: 0 } },
      ...{ checkOverdueSeconds: 0, oldestDueSeconds: 0, disabledEndpoints: 0, oldestAccountEventSeconds: 0 },
      syncs: { due: 0, oldestDueSeconds: 0 },
      reads: [],
      secrets: [],
    });
  });

  it('is when the first secret of OAuth clients ends, by provider, before and after its end', async () => {
    const client = { clientId: 'c', clientSecret: 's', scopes: null, tenant: null };
    const put = async (provider: 'GOOGLE' | 'MICROSOFT', days: number | null) =>
      persistence.oauthClients.put(await persistence.newApplication(), provider, {
        ...client,
        expiresAt: days === null ? null : new Date(Date.now() + days * 86_400_000),
      });
    await Promise.all([put('GOOGLE', 20), put('GOOGLE', 10), put('GOOGLE', null), put('MICROSOFT', -1)]);
    const { secrets } = await count();
    const days = new Map(secrets.map((one) => [one.providerType, Math.round(one.expiresInSeconds / 86_400)]));
    expect(days).toEqual(
      new Map([
        ['GOOGLE', 10],
        ['MICROSOFT', -1],
      ]),
    );
  });

  it('is accounts by status, disabled endpoints, tripped breakers, and account events that wait', async () => {
    const application = await persistence.newApplication();
    const [first] = [await persistence.newAccount(application), await persistence.newAccount(application)];
    await persistence.accounts.setStatus(application, first.id, 'EXPIRED', 'password_rejected');
    await persistence.outbox.append(application, { eventType: 'enduseraccount.updated', payload: {} });
    await persistence.admin("update outbox set created_at = clock_timestamp() - interval '90 seconds'");
    await persistence.ledger.trip({ providerType: 'GOOGLE', clientId: 'client' });
    for (const reason of ['failing', 'gone', 'requested'] as const) {
      const { applicationId, id } = await subscribed();
      await persistence.endpoints.disable({ applicationId }, id, reason);
    }
    await persistence.admin("update credential_check set next_check_at = now() - interval '70 s'");
    const counts = await count();
    expect(Math.floor(counts.checkOverdueSeconds / 10)).toBe(7);
    expect(counts.accounts).toEqual(
      expect.arrayContaining([
        { providerType: 'CALDAV', status: 'EXPIRED', count: 1 },
        { providerType: 'CALDAV', status: 'ACTIVE', count: 4 },
      ]),
    );
    expect(counts.trippedBreakers).toEqual([{ providerType: 'GOOGLE', clients: 1 }]);
    expect(counts.disabledEndpoints).toBe(2);
    expect(counts.oldestAccountEventSeconds).toBeGreaterThanOrEqual(90);
    expect(counts.oldestAccountEventSeconds).toBeLessThan(150);
  });

  it('F38 is messages, exactly: due until they are settled, scheduled between attempts', async () => {
    const endpoint = await subscribed();
    const [first = '', second = ''] = await backlog(persistence, endpoint, 50);
    expect((await count()).messages).toEqual({ due: 50, scheduled: 0 });
    // In a queue, and under way, a message is due still.
    await persistence.messages.claimForQueue(20);
    const attempt = await claim(persistence, first);
    expect((await count()).messages).toEqual({ due: 50, scheduled: 0 });
    await record(persistence, attempt, failed(30_000));
    expect((await count()).messages).toEqual({ due: 49, scheduled: 1 });
    await record(persistence, await claim(persistence, second), failed(3_600_000));
    expect((await count()).messages).toEqual({ due: 48, scheduled: 2 });
    await persistence.messages.resend({ applicationId: endpoint.applicationId }, second);
    expect((await count()).messages).toEqual({ due: 49, scheduled: 1 });
    await record(persistence, await claim(persistence, second), interrupted);
    await persistence.admin("update webhook_message set state = 'delivered', enqueue_at = null where id = $1", [first]);
    expect((await count()).messages).toEqual({ due: 49, scheduled: 0 });
  });

  it('is for how long the oldest message has been due, but not who waits for a turn or is under way', async () => {
    const endpoint = await subscribed();
    const [due, waiting, held] = await backlog(persistence, endpoint, 3);
    const age = (id: string | undefined, seconds: number) =>
      persistence.admin("update webhook_message set next_attempt_at = now() - $2 * interval '1 s' where id = $1", [
        id,
        seconds,
      ]);
    await age(due, 40);
    await age(waiting, 400);
    await persistence.admin("update webhook_message set rate_limited_until = now() + interval '9 s' where id = $1", [
      waiting,
    ]);
    await claim(persistence, held ?? '');
    await age(held, 4_000);
    expect(Math.round((await count()).oldestDueSeconds / 10)).toBe(4);
  });

  it('is channels: wanted by subscriptions of ACTIVE accounts that are pushed, and open', async () => {
    const fixtures = [];
    for (let i = 0; i < 4; i += 1) fixtures.push(await newSyncedCalendar(persistence));
    for (const fixture of fixtures.slice(0, 3)) await subscribe(persistence, fixture);
    expect((await count()).channels).toEqual([{ providerType: 'CALDAV', wanted: 3, actual: 0 }]);
    const [pushed, polled, expired] = fixtures;
    const { reconciliation, channelId } = await openChannel(persistence, pushed!.application, pushed!.syncedCalendarId);
    const live = {
      subscriptionId: 's',
      resourceId: 'r',
      expiresAt: new Date(Date.now() + 60_000),
      renewAt: new Date(),
    };
    await persistence.channels.live(reconciliation, channelId, live);
    await persistence.channels.completeReconciliation(reconciliation, 86_400_000);
    const rejected = await persistence.channels.claimReconciliation(
      polled!.application,
      polled!.syncedCalendarId,
      60_000,
    );
    await persistence.channels.completeReconciliation(rejected!, 86_400_000);
    await persistence.accounts.setStatus(expired!.application, expired!.account.id, 'EXPIRED', 'password_rejected');
    expect((await count()).channels).toEqual([{ providerType: 'CALDAV', wanted: 1, actual: 1 }]);
    await persistence.admin("update provider_channel set expires_at = now() - interval '1 s'");
    expect((await count()).channels).toEqual([{ providerType: 'CALDAV', wanted: 0, actual: 0 }]);
  });

  it('is syncs that are due, and for how long the oldest has been: not those that are under way or come later', async () => {
    const fixtures: SyncedCalendarFixture[] = [];
    for (let i = 0; i < 4; i += 1) fixtures.push(await newSyncedCalendar(persistence));
    const syncIn = (seconds: number, fixture = fixtures[0]!) =>
      persistence.admin("update synced_calendar set next_sync_at = now() + $2 * interval '1 s' where id = $1", [
        fixture.syncedCalendarId,
        seconds,
      ]);
    await persistence.admin("update synced_calendar set next_sync_at = now() + interval '1 minute'");
    expect((await count()).syncs).toEqual({ due: 0, oldestDueSeconds: 0 });
    await syncIn(-40);
    await syncIn(-9, fixtures[1]);
    const { syncs } = await count();
    expect([syncs.due, Math.round(syncs.oldestDueSeconds / 10)]).toEqual([2, 4]);
    // Whoever takes the oldest one holds it for a minute, and is dead when that is over.
    const [taken] = await persistence.syncedCalendars.claimSyncs({ limit: 1, leaseMs: 60_000, coalesceMs: 0 });
    expect(taken?.syncedCalendarId).toBe(fixtures[0]!.syncedCalendarId);
    const left = (await count()).syncs;
    expect([left.due, Math.round(left.oldestDueSeconds / 10)]).toEqual([1, 1]);
    await syncIn(-100);
    expect((await count()).syncs.due).toBe(2);
  });

  it('is a bounded number of syncs of 100,000 accounts, and no more of them is read', async () => {
    const { account, syncedCalendarId } = await newSyncedCalendar(persistence);
    await many('end_user_account', account.id, { email: "'user' || n || '@example.com'" });
    await many('synced_calendar', syncedCalendarId, {
      next_sync_at: "now() + (n - 50000) * interval '1 s'",
      calendar_hash: 'sha256(n::text::bytea)',
    });
    const { syncs } = await count();
    expect([syncs.due, Math.round(syncs.oldestDueSeconds / 1_000)]).toEqual([MAX_DUE_SYNCS, 50]);
    await persistence.admin('analyze synced_calendar');
    const [row] = await persistence.database.read<ExplainedRow>(SYSTEM, {
      text: `explain (analyze, format json) ${COUNTS}`,
      values: [['CALDAV', 'GOOGLE']],
    });
    const reads = nodesOf(row!['QUERY PLAN'][0].Plan).filter(
      ({ 'Index Name': index }) => index === 'synced_calendar_next_sync_at_index',
    );
    expect(reads.map((node) => [node['Node Type'], node['Actual Rows'] * node['Actual Loops']])).toEqual([
      ['Index Scan', MAX_DUE_SYNCS],
      ['Index Scan', 1],
    ]);
  });
});

/** 100,000 rows like one that there is. @param changes what is different in the `n`th of them, by column */
async function many(table: string, id: string, changes: Record<string, string>): Promise<void> {
  const columns = await persistence.admin<{ name: string }>(
    'select column_name as name from information_schema.columns where table_name = $1',
    [table],
  );
  const values = columns.map(({ name }) => (name === 'id' ? 'gen_random_uuid()' : (changes[name] ?? `t.${name}`)));
  await persistence.admin(
    `insert into ${table} (${columns.map(({ name }) => name).join(', ')}) select ${values.join(', ')} ` +
      `from ${table} t, generate_series(1, 100000) n where t.id = $1`,
    [id],
  );
}
