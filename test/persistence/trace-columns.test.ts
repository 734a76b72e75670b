import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { SamplingDecision, type Sampler } from '@opentelemetry/sdk-trace';
import type { ClaimedAttempt } from '#domain/webhooks';
import { currentTraceparent, exposition, inSpan } from '#platform/telemetry';
import { exemplarsOf } from '../support/exposition.js';
import { recordSpans } from '#platform/testing/recorded-spans';
import { openPersistence, type Persistence } from './persistence.js';
import {
  announce,
  changed,
  claim,
  delivered,
  newSyncedCalendar,
  record,
  subscribe,
  takeSync,
  SECRETS,
} from './webhook-fixture.js';

/** Only what is called so is exported. */
const SOME: Sampler = {
  shouldSample: (_context, _traceId, name) => ({
    decision: name.startsWith('unsampled') ? SamplingDecision.NOT_RECORD : SamplingDecision.RECORD_AND_SAMPLED,
  }),
  toString: () => 'some',
};

/** Does something in a trace of its own. @returns its `traceparent`, and what came of it */
async function traced<T>(name: string, work: () => Promise<T>): Promise<{ traceparent: string | null; result: T }> {
  return inSpan(name, { traceparent: null }, async () => ({ traceparent: currentTraceparent(), result: await work() }));
}

describe('a trace goes on through the database', () => {
  let persistence: Persistence;
  let recorded: ReturnType<typeof recordSpans>;
  beforeAll(async () => {
    persistence = await openPersistence();
    recorded = recordSpans(SOME);
  });
  afterAll(async () => {
    recorded.stop();
    await persistence.close();
  });

  const requested = async (traceparent: string | undefined) => {
    const fixture = await newSyncedCalendar(persistence);
    const { syncedCalendarId: id } = fixture;
    await persistence.syncedCalendars.requestSync(
      [id],
      traceparent === undefined ? undefined : new Map([[id, traceparent]]),
    );
    return fixture;
  };
  const parent = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;

  it('from each sync request of a batch to the sync of its calendar, and to no other', async () => {
    const fixtures = [
      await newSyncedCalendar(persistence),
      await newSyncedCalendar(persistence),
      await requested(undefined),
    ];
    const [first, second, third] = fixtures.map(({ syncedCalendarId }) => syncedCalendarId) as [string, string, string];
    await persistence.syncedCalendars.requestSync(
      [first, second, third],
      new Map([
        [first, parent('a')],
        [second, parent('b')],
      ]),
    );
    await persistence.admin('update synced_calendar set next_sync_at = clock_timestamp()');
    const syncs = await persistence.syncedCalendars.claimSyncs({ limit: 100, leaseMs: 60_000, coalesceMs: 0 });
    const traces = new Map(syncs.map((sync) => [sync.syncedCalendarId, sync.traceparent]));
    expect([first, second, third].map((id) => traces.get(id))).toEqual([parent('a'), parent('b'), null]);
  });

  it('of the last sync request that was traced, once, and again when the sync was given back', async () => {
    const { application, account, calendarId, syncedCalendarId } = await requested(parent('a'));
    await traced('unsampled write', () =>
      persistence.syncedCalendars.requestSyncOfCalendar(application, account.id, calendarId),
    );
    const sync = await takeSync(persistence, syncedCalendarId);
    expect(sync.traceparent).toBe(parent('a'));
    await persistence.syncedCalendars.release(sync);
    const again = await takeSync(persistence, syncedCalendarId);
    expect(again.traceparent).toBe(parent('a'));
    const write = await traced('write', () =>
      persistence.syncedCalendars.requestSyncOfCalendar(application, account.id, calendarId),
    );
    await persistence.syncedCalendars.complete(again, { syncToken: 'next', nextSyncInMs: 60_000, compose: null });
    expect((await takeSync(persistence, syncedCalendarId)).traceparent).toBe(write.traceparent);
    expect((await takeSync(persistence, syncedCalendarId)).traceparent).toBeNull();
  });

  it.each(['requestSyncAfterGap', 'requestSyncOfAccount'] as const)('of %s', async (method) => {
    const { application, account, syncedCalendarId } = await newSyncedCalendar(persistence);
    const { traceparent } = await traced('request', () =>
      method === 'requestSyncAfterGap'
        ? persistence.syncedCalendars.requestSyncAfterGap(syncedCalendarId)
        : persistence.syncedCalendars.requestSyncOfAccount(application, account.id),
    );
    expect((await takeSync(persistence, syncedCalendarId)).traceparent).toBe(traceparent);
  });

  it('is not left behind by a first sync', async () => {
    const { application, syncedCalendarId } = await requested(parent('a'));
    const sync = await persistence.syncedCalendars.claimInitialSync(application, syncedCalendarId, 60_000);
    if (typeof sync === 'string') throw new Error(sync);
    await persistence.syncedCalendars.complete(sync, { syncToken: 'next', nextSyncInMs: 60_000, compose: null });
    expect((await takeSync(persistence, syncedCalendarId)).traceparent).toBeNull();
  });

  it('from a sync to the attempts at its messages, and from nobody to none', async () => {
    const fixture = await newSyncedCalendar(persistence);
    await subscribe(persistence, fixture);
    const sync = await traced('look', () => announce(persistence, fixture));
    const unsampled = await traced('unsampled look', () => announce(persistence, fixture));
    const claims = await persistence.messages.claim([...sync.result, ...unsampled.result], {
      leaseMs: 60_000,
      aheadMs: 1_000,
    });
    expect(claims.map((one) => (one.state === 'claimed' ? one.attempt.traceparent : one))).toEqual([
      sync.traceparent,
      null,
    ]);
  });

  it('from a sync to the lag of its change, whoever writes several of them down together', async () => {
    const fixture = await newSyncedCalendar(persistence);
    await subscribe(persistence, fixture);
    const changes: { attempt: ClaimedAttempt; lagSeconds: number; traceparent: string | null }[] = [];
    for (const [name, lagSeconds] of [
      ['look', 2],
      ['other look', 200],
      ['unsampled look', 20],
    ] as const) {
      const { result, traceparent } = await traced(name, () => announce(persistence, fixture));
      await persistence.admin(
        "update webhook_message set change_detected_at = clock_timestamp() - $2 * interval '1 s' where id = any($1)",
        [result, lagSeconds],
      );
      changes.push({ attempt: await claim(persistence, result[0]!), lagSeconds, traceparent });
    }
    await traced('outcomes', () =>
      persistence.messages.record(changes.map(({ attempt }) => ({ attempt, outcome: delivered }))),
    );
    const { body } = await exposition('application/openmetrics-text');
    const named = exemplarsOf(body, 'calendar_change_lag_seconds').map(({ traceId, value }) => [
      traceId,
      Math.floor(value / 2) * 2,
    ]);
    expect(named).toEqual(
      changes.slice(0, 2).map(({ traceparent, lagSeconds }) => [traceparent?.split('-')[1], lagSeconds]),
    );
  });

  it('from who asks for a message again to the attempts that follow', async () => {
    const fixture = await newSyncedCalendar(persistence);
    const endpoint = await subscribe(persistence, fixture);
    const { result } = await traced('look', () => announce(persistence, fixture));
    const [id] = result as [string];
    await record(persistence, await claim(persistence, id), delivered);
    const resend = await traced('resend', () => persistence.messages.resend(fixture.application, id));
    expect((await claim(persistence, id)).traceparent).toBe(resend.traceparent);
    await persistence.admin("update webhook_message set state = 'failed', lease_id = null, leased_until = null");
    const recover = await traced('recover', () =>
      persistence.messages.recover(fixture.application, endpoint.id, new Date(0)),
    );
    expect((await claim(persistence, id)).traceparent).toBe(recover.traceparent);
  });

  it('from who adds a message, and from an account event, to its delivery', async () => {
    const application = await persistence.newApplication();
    const endpoint = await persistence.endpoints.create(application, {
      syncedCalendarId: null,
      url: 'https://hooks.example.com/a',
      eventTypes: ['enduseraccount.created'],
      rateLimit: null,
      secrets: SECRETS,
    });
    const id = randomUUID();
    const add = await traced('request', () =>
      persistence.messages.add(application, endpoint.id, {
        id,
        ...changed({ id, endpointId: endpoint.id, isEnriched: false }),
      }),
    );
    expect((await claim(persistence, id)).traceparent).toBe(add.traceparent);
    const event = { eventType: 'enduseraccount.created', payload: { a: 1 } } as const;
    const request = await traced('request', () => persistence.outbox.append(application, event));
    let messageId = '';
    await traced('relay', () =>
      persistence.relay.relay(100, (given) => {
        messageId = given;
        return { eventType: event.eventType, body: Buffer.from('{}') };
      }),
    );
    expect((await claim(persistence, messageId)).traceparent).toBe(request.traceparent);
  });

  it('and statements are spans of it, without anything that they hold', async () => {
    const scope = { setting: (await persistence.newApplication()).applicationId };
    const { database } = persistence;
    const read = () => database.read(scope, { name: 'some-name', text: 'select $1::text', values: ['canary'] });
    const before = recorded.spans().length;
    const { traceparent } = await traced('request', async () => {
      await read();
      await database
        .transaction(scope, () => database.write(scope, { text: "select 1/0, 'canary'" }))
        .catch(() => undefined);
    });
    await traced('unsampled request', read);
    await read();
    const spans = recorded.spans().slice(before);
    expect(spans.map(({ name, isFailed }) => [name, isFailed])).toEqual([
      ['some-name', false],
      ['SELECT', true],
      ['ROLLBACK', false],
      ['request', false],
    ]);
    const [selected, division, rollback] = spans;
    const { hostname, port, pathname } = new URL(persistence.testDatabase.url);
    const asked = {
      'db.system.name': 'postgresql',
      'db.namespace': pathname.slice(1),
      'server.address': hostname,
      'server.port': Number(port),
    };
    expect(selected).toMatchObject({
      kind: 'CLIENT',
      traceId: traceparent?.split('-')[1],
      attributes: { ...asked, 'db.operation.name': 'SELECT', 'db.query.summary': 'some-name' },
    });
    expect(division?.attributes).toEqual({
      ...asked,
      'db.operation.name': 'SELECT',
      'db.query.summary': 'SELECT',
      'db.response.status_code': '22012',
      'error.type': '22012',
    });
    expect(rollback?.attributes).toMatchObject({ 'db.operation.name': 'ROLLBACK', 'db.query.summary': 'ROLLBACK' });
  });
});
