// Takes long beside other suites: it writes and removes ten thousand entries and some thousand rows.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EndUserAccount } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { Clock } from '#domain/system';
import { SNAPSHOTS_PER_CALENDAR } from '../../libs/persistence/src/repositories/sync-snapshot.store.js';
import { openPersistence, type Persistence } from './persistence.js';
import { authorizationRequest, connectLink } from './authorization-request.js';

class SettableClock extends Clock {
  ms = Date.now();

  override nowMs(): number {
    return this.ms;
  }

  passDays(days: number): void {
    this.ms += days * 86_400_000;
  }
}

const clock = new SettableClock();
let persistence: Persistence;
let application: ApplicationRef;
let account: EndUserAccount;

beforeAll(async () => {
  persistence = await openPersistence({ clock, auditRetentionDays: 100, requestHistoryDays: 3 });
  application = await persistence.newApplication();
  account = await persistence.newAccount(application);
});

afterAll(() => persistence.close());

const calendar = (calendarId: string) => ({ ...application, accountId: account.id, calendarId });

describe('sync snapshots', () => {
  it('come back as saved, grow in place, and belong to their calendar', async () => {
    const entries = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`/c/ü${n}.ics`, `"etag-${n}"`]));
    const id = await persistence.snapshots.save(calendar('grow'), { entries, changeTag: 'ctag' });
    expect(await persistence.snapshots.find(calendar('grow'), id)).toEqual({ entries, changeTag: 'ctag' });
    expect(await persistence.snapshots.find(calendar('other'), id)).toBeNull();
    const grown = { entries: { ...entries, more: '1' }, changeTag: null };
    expect(await persistence.snapshots.replace(calendar('other'), id, grown)).toBe(false);
    expect(await persistence.snapshots.replace(calendar('grow'), id, grown)).toBe(true);
    expect(await persistence.snapshots.find(calendar('grow'), id)).toEqual(grown);
    expect(await persistence.snapshots.find(calendar('grow'), 'no id')).toBeNull();
    const [stored] = await persistence.admin<{ size: number }>(
      'select octet_length(entries) as size from sync_snapshot where id = $1',
      [id],
    );
    expect(stored?.size).toBeLessThan(JSON.stringify(grown.entries).length / 3);
  });

  it('keep the most recently used of a calendar, and those of other calendars', async () => {
    const save = async (calendarId: string) => {
      clock.ms += 1;
      return persistence.snapshots.save(calendar(calendarId), { entries: {}, changeTag: null });
    };
    const other = await save('beside');
    const [used, unused] = [await save('busy'), await save('busy')];
    for (let count = 2; count < SNAPSHOTS_PER_CALENDAR; count += 1) await save('busy');
    clock.ms += 1;
    await persistence.snapshots.find(calendar('busy'), used);
    await save('busy');
    expect(await persistence.snapshots.find(calendar('busy'), used)).not.toBeNull();
    expect(await persistence.snapshots.find(calendar('busy'), unused)).toBeNull();
    expect(await persistence.snapshots.find(calendar('beside'), other)).not.toBeNull();
  });

  it('are gone after 30 days without use', async () => {
    const id = await persistence.snapshots.save(calendar('old'), { entries: {}, changeTag: null });
    clock.passDays(29);
    expect(await persistence.snapshots.find(calendar('old'), id)).not.toBeNull();
    clock.passDays(29);
    expect(await persistence.snapshots.find(calendar('old'), id)).not.toBeNull();
    clock.passDays(31);
    expect(await persistence.snapshots.find(calendar('old'), id)).toBeNull();
    expect(await persistence.snapshots.replace(calendar('old'), id, { entries: {}, changeTag: null })).toBe(false);
  });
});

describe('housekeeping', () => {
  it('deletes what has expired by the clock of the database and nothing else', async () => {
    clock.ms = Date.now();
    await persistence.admin('delete from sync_snapshot');
    const fresh = await persistence.snapshots.save(calendar('fresh'), { entries: {}, changeTag: null });
    clock.passDays(-40);
    await persistence.snapshots.save(calendar('stale'), { entries: {}, changeTag: null });
    const audit = { ...application, actor: 'ops', action: 'a', subject: 's', requestId: 'r' };
    await persistence.audit.record(audit);
    clock.passDays(-61);
    await persistence.audit.record({ ...audit, action: 'old' });
    clock.passDays(101);
    await persistence.idempotency.claim({ ...application, key: 'kept' }, 'f', 1);
    await persistence.admin(
      'insert into idempotency_record (id, application_id, key, fingerprint, claim_id, locked_until, expires_at) ' +
        "select gen_random_uuid(), $1, 'gone' || n, 'f', gen_random_uuid(), now(), now() - interval '1 second' " +
        'from generate_series(1, 4500) n',
      [application.applicationId],
    );
    await persistence.budget.take(calendar('x'), 240, new AbortController().signal);
    await persistence.admin('insert into provider_rate (application_id, account_id, arrival_ms) values ($1, $2, 0)', [
      application.applicationId,
      'long ago',
    ]);
    await persistence.slots.withPermit(calendar('x'), 1, new AbortController().signal, async () => undefined);
    await persistence.admin(
      'insert into provider_permit (application_id, account_id, slot, lease_id, leased_until, taken_at) ' +
        "select application_id, account_id, slot + 1, lease_id, now() - interval '61 minutes', now() from provider_permit",
    );
    await persistence.admin(
      'insert into provider_request_count (application_id, hour, provider_type, project, cause, requests) ' +
        "select $1, hour, 'GOOGLE', '', 'call', 1 from unnest($2::timestamptz[]) hour",
      [application.applicationId, [34, 36].map((days) => new Date(clock.ms - days * 86_400_000))],
    );
    await oauthLeftovers();
    await persistence.signInTests.begin(application, 'GOOGLE');
    await persistence.admin("update sign_in_test set created_at = created_at - interval '7 days'");
    const keptTest = await persistence.signInTests.begin(application, 'GOOGLE');
    await webhookLeftovers();
    await leftoversInOperatorApi();
    await operatorLeftovers();

    clock.passDays(500);
    const deleted = await persistence.housekeeping.deleteExpired();
    clock.passDays(-500);
    expect(deleted).toEqual({
      idempotencyRecords: 4500,
      syncSnapshots: 1,
      auditEntries: 1,
      providerRates: 1,
      providerPermits: 1,
      authorizationRequests: 1,
      connectLinks: 1,
      outboxMessages: 2,
      refreshStats: 1,
      failedConnects: 1,
      webhookMessages: 2,
      statusChanges: 1,
      signInTests: 1,
      requestCounts: 1,
      requestRecords: 4001,
      operatorSessions: 2,
      operatorInvitations: 1,
      operatorSsoRequests: 1,
      operatorSignInFailures: 1,
    });
    expect(await persistence.snapshots.find(calendar('fresh'), fresh)).not.toBeNull();
    expect(await persistence.admin('select key from idempotency_record')).toEqual([{ key: 'kept' }]);
    expect(await persistence.admin('select action, request_id from audit_entry')).toEqual([
      { action: 'a', request_id: 'r' },
    ]);
    expect(await persistence.admin('select account_id from provider_rate')).toEqual([{ account_id: account.id }]);
    expect(await persistence.admin('select slot from provider_permit')).toEqual([{ slot: 1 }]);
    expect(await persistence.admin('select id from sign_in_test')).toEqual([{ id: keptTest }]);
    expect(await persistence.authorizationRequests.take(hash('kept'))).not.toBeNull();
    expect(await persistence.connectLinks.find(hash('kept'))).not.toBeNull();
    expect(await persistence.admin('select event_type from outbox order by 1')).toEqual([
      { event_type: 'relayed 6 days ago' },
      { event_type: 'waits for 29 days' },
    ]);
    expect(await persistence.admin('select client_id from refresh_stats')).toEqual([{ client_id: 'kept' }]);
    expect(await persistence.admin('select actor from failed_connect')).toEqual([{ actor: 'kept' }]);
    expect(await persistence.admin('select event_type from webhook_message order by 1')).toEqual([
      { event_type: 'delivered 29 days ago' },
      { event_type: 'pending' },
    ]);
    expect(await persistence.admin('select number from delivery_attempt')).toEqual([{ number: 1 }, { number: 1 }]);
    expect(await persistence.admin('select status from account_status_change order by changed_at')).toEqual([
      { status: 'the last one of long ago' },
      { status: 'CONNECTED' },
    ]);
    expect(await persistence.admin('select route from request_record')).toEqual([{ route: 'kept' }]);
    expect(await persistence.admin('select secret_hash from operator_session')).toEqual([
      { secret_hash: Buffer.from('kept') },
    ]);
    expect(await persistence.admin('select email from operator_invitation')).toEqual([{ email: 'kept' }]);
    expect(await persistence.admin('select failures from operator_sign_in_failure')).toEqual([{ failures: 7 }]);
    expect(new Set(Object.values(await persistence.housekeeping.deleteExpired()))).toEqual(new Set([0]));
  });
});

const hash = (text: string) => createHash('sha256').update(text).digest();

/** One of each kind that is to be kept, and the ones that have had their time. */
async function oauthLeftovers(): Promise<void> {
  for (const [name, inMs] of [
    ['kept', 3_600_000],
    ['gone', 0],
  ] as const) {
    const expiresAt = new Date(clock.ms + inMs);
    await persistence.authorizationRequests.save(
      authorizationRequest(application, { stateHash: hash(name), expiresAt }),
    );
    await persistence.connectLinks.create(connectLink(application, { secretHash: hash(name), expiresAt }));
  }
  await persistence.admin(
    'insert into outbox (id, application_id, event_type, payload, created_at, relayed_at) ' +
      "select gen_random_uuid(), $1, event_type, '{}', now() - made::interval, now() - relayed::interval from (values " +
      "('relayed 6 days ago', '40 days', '6 days'), ('relayed 7 days ago', '7 days', '7 days'), " +
      "('waits for 29 days', '29 days', null), ('waits for 30 days', '30 days', null)) m (event_type, made, relayed)",
    [application.applicationId],
  );
  await persistence.admin(
    'insert into refresh_stats (provider_type, client_id, account_id, refused, decided_at) values ' +
      "('GOOGLE', 'kept', $1, true, now() - interval '4 minutes'), " +
      "('GOOGLE', 'gone', $1, true, now() - interval '5 minutes')",
    [account.id],
  );
  await persistence.admin(
    'insert into failed_connect (id, application_id, actor, login_hash, rejected_at) values ' +
      "(gen_random_uuid(), $1, 'kept', '', now() - interval '9 minutes'), " +
      "(gen_random_uuid(), $1, 'gone', '', now() - interval '10 minutes')",
    [application.applicationId],
  );
}

/** Of each thing that ends one that has, and one that has not. */
async function operatorLeftovers(): Promise<void> {
  const hoursFromNow = (hours: number) => new Date(clock.ms + hours * 3_600_000);
  const [before, after] = [hoursFromNow(-1), hoursFromNow(1)];
  const operator = '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5';
  await persistence.admin(
    "insert into operator (id, email, name, role, created_at) values ($1, 'a', 'A', 'admin', now())",
    [operator],
  );
  for (const [secret, idleUntil, endsAt] of [
    ['kept', after, after] as const,
    ['idle', before, after] as const,
    ['ended', after, before] as const,
  ]) {
    await persistence.admin(
      'insert into operator_session (secret_hash, operator_id, created_at, idle_until, ends_at) ' +
        'values ($1, $2, now(), $3, $4)',
      [Buffer.from(secret), operator, idleUntil, endsAt],
    );
  }
  for (const [email, expiresAt] of [['kept', after] as const, ['over', before] as const]) {
    await persistence.admin(
      'insert into operator_invitation (id, token_hash, email, role, created_at, expires_at) ' +
        "values (gen_random_uuid(), $1, $2, 'viewer', now(), $3)",
      [Buffer.from(email), email, expiresAt],
    );
  }
  await persistence.admin(
    "insert into operator_sso_request (id, state_hash, secret, expires_at) values (gen_random_uuid(), 's', 's', $1)",
    [before],
  );
  await persistence.admin(
    "insert into operator_sign_in_failure (subject_hash, failures, last_at) values ('kept', 7, $1), ('forgotten', 8, $2)",
    [hoursFromNow(-23), hoursFromNow(-25)],
  );
}

/** What is kept is the last change of each account, however old, and what has not had its time. */
async function leftoversInOperatorApi(): Promise<void> {
  const other = await persistence.newAccount(application);
  await persistence.admin('delete from account_status_change where account_id = $1', [other.id]);
  await persistence.admin(
    'insert into account_status_change (id, application_id, account_id, status, changed_at) ' +
      "select gen_random_uuid(), $1, $2, status, $3::timestamptz - age::interval from (values ('gone', '600 days'), " +
      "('the last one of long ago', '500 days')) c (status, age)",
    [application.applicationId, other.id, new Date(clock.ms)],
  );
  await persistence.admin(
    'insert into request_record (id, request_id, started_at, method, route, status, duration_ms) ' +
      "select gen_random_uuid(), 'r', $1::timestamptz - case when n = 0 then interval '71 hours' else interval '72 hours' end, " +
      "'GET', case when n = 0 then 'kept' else 'gone' end, 200, 1 from generate_series(0, 4001) n",
    [new Date(clock.ms)],
  );
}

/** Messages with an attempt each. */
async function webhookLeftovers(): Promise<void> {
  await persistence.admin(
    'with made as (insert into webhook_message (id, application_id, endpoint_id, event_type, body, state, failures, ' +
      'resends, tries, tries_by_hand, enqueue_at, created_at) ' +
      "select gen_random_uuid(), $1, $1, name, '{}', split_part(name, ' ', 1), 0, 0, 1, 0, enqueue_at, now() - age::interval " +
      "from (values ('pending', now(), '40 days'), ('delivered 29 days ago', null, '29 days'), " +
      "('delivered 30 days ago', null, '30 days'), ('failed 30 days ago', null, '30 days')) m (name, enqueue_at, age) " +
      'returning id, application_id) ' +
      'insert into delivery_attempt (message_id, number, application_id, started_at) ' +
      'select id, 1, application_id, now() from made',
    [application.applicationId],
  );
}
