import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { messageIdOf } from '#webhooks';
import { FakeCalDav } from '../../support/fake-caldav.js';
import { operatorSession, type OperatorSession } from '../../support/operator-session.js';
import { asAdmin } from '../../support/postgres.js';
import { eventually } from '../../support/processes.js';
import { startService, type Answer, type Service } from '../../support/service.js';

/** Sent where it must not be kept: in queries, bodies and paths. */
const CANARY = `canary${randomBytes(9).toString('hex')}`;

let fake: FakeCalDav;
let service: Service;
let other: { applicationId: string; apiKey: string };
let admin: OperatorSession;
let viewer: OperatorSession;
let accountId: string;
let otherAccountId: string;
let googleId: string;

beforeAll(async () => {
  fake = await FakeCalDav.start();
  fake.addCalendar('work', 'Work');
  fake.addCalendar('home', 'Home');
  service = await startService({ EGRESS_ALLOW: fake.egressAllow });
  [other, admin, viewer, accountId] = await Promise.all([
    service.createApplication('second'),
    operatorSession(service),
    operatorSession(service, 'viewer'),
    connect({ externalId: 'user_42' }).then(({ body }) => body.id as string),
  ]);
  otherAccountId = (await connect({}, other.apiKey)).body.id;
  googleId = await insertGoogleAccount('Ada+100%@Example.org');
});

afterAll(async () => {
  await service?.stop();
  await fake?.close();
});

function connect(fields: Record<string, unknown> = {}, key?: string): Promise<Answer> {
  const { username: email, password } = fake.login;
  const body = { providerType: 'CALDAV', email, serverUrl: fake.url, password, ...fields };
  return service.call('POST', '/v1/endUserAccounts', { body, ...(key !== undefined && { key }) });
}

const sql = <Row extends object = never>(text: string, values: unknown[] = []): Promise<Row[]> =>
  asAdmin(service.adminDatabaseUrl, async (client) => (await client.query<Row>(text, values)).rows);

/** The newest account, of the first application. */
async function insertGoogleAccount(email: string): Promise<string> {
  const id = `ffffffff-ffff-7fff-8fff-${randomBytes(6).toString('hex')}`;
  await sql(
    `with provider as (insert into provider_configuration (id, application_id, provider_type, created_at)
       values (gen_random_uuid(), $2, 'GOOGLE', now()) on conflict (application_id, provider_type)
       do update set provider_type = 'GOOGLE' returning id)
     insert into end_user_account (id, application_id, provider_configuration_id, provider_type, email,
       authorized_scopes, provider_account_id, status, created_at, updated_at)
     select $1, $2, id, 'GOOGLE', $3, '{a,b}', 'sub-1', 'ACTIVE', now(), now() from provider`,
    [id, service.applicationId, email],
  );
  return id;
}

const list = async (query: Record<string, string | number>) => {
  const { status, body } = await viewer.call('GET', '/accounts', { query });
  return status === 200 ? body.data.map(({ id }: { id: string }) => id) : body.code;
};
const detail = async (id = accountId) => (await viewer.call('GET', `/accounts/${id}`)).body;
const timeline = async (id = accountId) => (await viewer.call('GET', `/accounts/${id}/timeline`)).body.data;
const statuses = async () => (await detail()).history.map(({ status, reason }: any) => [status, reason]);

describe('the accounts of all applications', () => {
  it('are listed newest first, with what they are and whose', async () => {
    const { status, body } = await viewer.call('GET', '/accounts');
    expect(status).toBe(200);
    expect(body.nextPageToken).toBeNull();
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([googleId, otherAccountId, accountId]);
    expect(body.data[2]).toEqual({
      id: accountId,
      applicationId: service.applicationId,
      applicationName: 'first',
      providerType: 'CALDAV',
      email: fake.login.username,
      externalId: 'user_42',
      status: 'ACTIVE',
      createdAt: expect.any(String),
      changedAt: expect.any(String),
    });
  });

  it('are found by application, provider, status, a part of the address, a whole id or externalId', async () => {
    expect(await list({ applicationId: other.applicationId })).toEqual([otherAccountId]);
    expect(await list({ providerType: 'GOOGLE' })).toEqual([googleId]);
    expect(await list({ providerType: 'CALDAV', applicationId: service.applicationId })).toEqual([accountId]);
    expect(await list({ status: 'EXPIRED' })).toEqual([]);
    expect(await list({ search: 'ALICE@' })).toEqual([otherAccountId, accountId]);
    expect(await list({ search: 'ada+100%@EXAMPLE' })).toEqual([googleId]);
    expect(await list({ search: 'user_42' })).toEqual([accountId]);
    expect(await list({ search: accountId.toUpperCase() })).toEqual([accountId]);
    expect(await list({ search: '' })).toHaveLength(3);
  });

  it.each(['user%', 'user.42', 'user_4', 'a_ice', "' or 1=1 --", '.*'])(
    'N18 are searched literally: %s',
    async (search) => {
      expect(await list({ search })).toEqual([]);
    },
  );

  it('N18 know no wildcards: % is a character', async () => {
    expect(await list({ search: '%' })).toEqual([googleId]);
  });

  it.each([{ applicationId: 'x' }, { providerType: 'OTHER' }, { status: 'active' }, { limit: 0 }, { unknown: 'x' }])(
    'refuse a filter that is none: %p',
    async (query) => {
      expect(await list(query as unknown as Record<string, string>)).toBe('ValidationFailed');
    },
  );

  it('come in pages, whose tokens hold for the same filters alone', async () => {
    const seen: string[] = [];
    let pageToken: string | null = null;
    do {
      const query: Record<string, string | number> = { limit: 1, ...(pageToken !== null && { pageToken }) };
      const { body } = await viewer.call('GET', '/accounts', { query });
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      if (body.nextPageToken !== null) {
        const elsewhere = { limit: 1, pageToken: body.nextPageToken as string, search: 'a' };
        expect(await list(elsewhere)).toBe('PageTokenInvalid');
      }
      pageToken = body.nextPageToken;
    } while (pageToken !== null);
    expect(seen).toEqual([googleId, otherAccountId, accountId]);
  });
});

describe('an account', () => {
  it('tells what is known of it', async () => {
    expect(await detail()).toMatchObject({
      id: accountId,
      scopes: [],
      serverUrl: fake.url,
      health: { checkedAt: null, lastFailure: null },
      history: [{ at: expect.any(String), status: 'CONNECTED', reason: null }],
      subscriptions: 0,
    });
    expect(await detail(googleId)).toMatchObject({ scopes: ['a', 'b'], serverUrl: null, history: [] });
  });

  it.each(['x', '0197a000-0000-7000-8000-000000000000', '%00', "'"])(
    'is NotFound where there is none: %s',
    async (id) => {
      const path = `/accounts/${encodeURIComponent(id)}`;
      for (const asked of [
        viewer.call('GET', path),
        viewer.call('GET', `${path}/calendars`),
        viewer.call('GET', `${path}/timeline`),
        admin.call('POST', `${path}/reconnectLink`),
        admin.call('DELETE', path),
      ]) {
        expect((await asked).status).toBe(404);
      }
    },
  );

  it('shows its calendars as its provider has them now, and how they are watched', async () => {
    const calendars = async () => (await viewer.call('GET', `/accounts/${accountId}/calendars`)).body.data;
    const before = await calendars();
    expect(before.map(({ title, changeDetection }: any) => [title, changeDetection]).sort()).toEqual([
      ['Home', 'none'],
      ['Work', 'none'],
    ]);
    expect(before[0]).toEqual({
      id: expect.any(String),
      title: expect.any(String),
      isPrimary: false,
      isReadOnly: false,
      timeZone: expect.any(String),
      changeDetection: 'none',
    });
    const [polled, withoutWorker] = await Promise.all(before.map(({ id }: { id: string }) => insertSyncedCalendar(id)));
    await subscribe(polled as string);
    const changeDetectionOf = async () =>
      Object.fromEntries((await calendars()).map(({ id, changeDetection }: any) => [id, changeDetection]));
    expect(await changeDetectionOf()).toEqual({ [before[0].id]: 'polled', [before[1].id]: 'none' });
    expect((await detail()).subscriptions).toBe(1);
    await sql(
      `insert into provider_channel (id, application_id, synced_calendar_id, token, state, expires_at, created_at)
       select gen_random_uuid(), $1, id, '\\x00', 'live', now() + age::interval, now()
         from (values ($2::uuid, '1 hour'), ($3, '-1 second')) w (id, age)`,
      [service.applicationId, polled, withoutWorker],
    );
    await subscribe(withoutWorker as string);
    expect(await changeDetectionOf()).toEqual({ [before[0].id]: 'pushed', [before[1].id]: 'polled' });
    const [{ last_used_at: used } = { last_used_at: undefined }] = await sql<{ last_used_at: Date | null }>(
      'select last_used_at from credential_check where end_user_account_id = $1',
      [accountId],
    );
    // A look by an operator keeps no tokens ready that no application asks for.
    expect(used).toBeNull();
  });

  async function insertSyncedCalendar(calendarId: string): Promise<string> {
    const id = randomUUID();
    await sql(
      `insert into synced_calendar (id, application_id, end_user_account_id, calendar_id, calendar_hash, sync_requests, next_sync_at,
         reconcile_requests, reconcile_at, created_at)
       values ($1, $2, $3, $4, sha256(convert_to($4, 'UTF8')), 0, now(), 0, now(), now())`,
      [id, service.applicationId, accountId, calendarId],
    );
    return id;
  }

  async function subscribe(syncedCalendarId: string): Promise<void> {
    await sql(
      `insert into webhook_endpoint (id, application_id, synced_calendar_id, url, secrets, event_types, created_at, updated_at)
       values (gen_random_uuid(), $1, $2, 'https://r.example/', '\\x00', '{calendar.event.changed}', now(), now())`,
      [service.applicationId, syncedCalendarId],
    );
  }

  it('tells of a password that was refused, of the end that it came to, and how the account came back', async () => {
    const { password } = fake.login;
    fake.login.password = 'another';
    const use = () => service.call('GET', `/v1/calendars/${accountId}`);
    expect((await use()).status).toBe(502);
    const unconfirmed = await detail();
    expect(unconfirmed).toMatchObject({
      status: 'ACTIVE',
      health: { lastFailure: { reason: 'rejection_unconfirmed' } },
    });
    expect((await timeline())[0]).toMatchObject({ kind: 'rejected', at: unconfirmed.health.lastFailure.at });
    await sql("update credential_check set first_rejected_at = first_rejected_at - interval '1 minute'");
    expect((await use()).status).toBe(403);
    const expired = await detail();
    expect(expired).toMatchObject({ status: 'EXPIRED', health: { nextCheckAt: null } });
    expect(expired.health.lastFailure).toEqual({
      at: expired.changedAt,
      reason: 'password_rejected',
      explanation: expect.stringContaining('password'),
    });
    expect(await list({ status: 'EXPIRED' })).toEqual([accountId]);
    expect((await viewer.call('GET', `/accounts/${accountId}/calendars`)).body.code).toBe('EndUserAccountExpired');
    expect((await connect({ password: 'another' })).status).toBe(200);
    expect(await statuses()).toEqual([
      ['CONNECTED', 'reconnected'],
      ['EXPIRED', 'password_rejected'],
      ['CONNECTED', null],
    ]);
    expect(await detail()).toMatchObject({ status: 'ACTIVE', health: { lastFailure: null } });
    fake.login.password = password;
    expect((await connect()).status).toBe(200);
    expect(await statuses()).toHaveLength(4);
  });

  it('has a timeline of what happened with it, newest first', async () => {
    const changes = ['connected', 'connected', 'expired', 'connected'];
    const kinds = async (id?: string) => (await timeline(id)).map(({ kind }: any) => kind);
    expect(await kinds()).toEqual(changes);
    expect(await timeline()).toContainEqual({
      at: expect.any(String),
      kind: 'expired',
      reason: 'password_rejected',
      calendarId: null,
      message: null,
    });

    const [calendar] = await sql<{ id: string; calendar_id: string; endpoint: string }>(
      `select w.id, w.calendar_id, e.id as endpoint
         from synced_calendar w join webhook_endpoint e on e.synced_calendar_id = w.id limit 1`,
    );
    await sql(
      "update synced_calendar set notified_at = '2099-01-01T00:00:01Z', synced_at = '2099-01-01T00:00:02Z' where id = $1",
      [calendar!.id],
    );
    await sql("update credential_check set checked_at = '2099-01-01T00:00:03Z' where end_user_account_id = $1", [
      accountId,
    ]);
    const [messageId, elsewhere] = [randomUUID(), randomUUID()];
    await sql(
      `insert into webhook_message (id, application_id, endpoint_id, event_type, body, state, failures, resends, tries,
         tries_by_hand, created_at)
       select id, $1, endpoint, 'calendar.event.changed', '{}', 'delivered', 0, 0, 1, 0, '2099-01-01T00:00:04Z'
         from (values ($2::uuid, $3::uuid), ($4, $4)) m (id, endpoint)`,
      [service.applicationId, messageId, calendar!.endpoint, elsewhere],
    );
    const { calendar_id: calendarId } = calendar!;
    const message = { id: messageIdOf(messageId), eventType: 'calendar.event.changed', state: 'delivered' };
    expect((await timeline()).slice(0, 4)).toEqual([
      { at: '2099-01-01T00:00:04.000Z', kind: 'message', reason: null, calendarId, message },
      { at: '2099-01-01T00:00:03.000Z', kind: 'checked', reason: null, calendarId: null, message: null },
      { at: '2099-01-01T00:00:02.000Z', kind: 'synced', reason: null, calendarId, message: null },
      { at: '2099-01-01T00:00:01.000Z', kind: 'notified', reason: null, calendarId, message: null },
    ]);
    expect((await kinds()).slice(4)).toEqual(changes);
    expect(await kinds(otherAccountId)).toEqual(['connected']);
  });

  it('has a timeline with the last refresh of its token, which no connect brought', async () => {
    expect(await timeline(googleId)).toEqual([]);
    await sql(
      `insert into credential (id, application_id, end_user_account_id, secret, oauth_client_id, row_version, created_at, updated_at)
       values (gen_random_uuid(), $1, $2, '\\x00', 'client', 1, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')`,
      [service.applicationId, googleId],
    );
    expect(await timeline(googleId)).toEqual([]);
    await sql("update credential set updated_at = '2026-01-01T01:00:00Z' where end_user_account_id = $1", [googleId]);
    expect(await timeline(googleId)).toEqual([
      { at: '2026-01-01T01:00:00.000Z', kind: 'refreshed', reason: null, calendarId: null, message: null },
    ]);
  });

  it('has a timeline of a hundred entries at most', async () => {
    const ids = Array.from({ length: 101 }, () => randomUUID());
    await sql(
      `insert into account_status_change (id, application_id, account_id, status, changed_at)
       select id, $1, $2, 'ACTIVE', now() from unnest($3::uuid[]) id`,
      [other.applicationId, otherAccountId, ids],
    );
    const entries = await timeline(otherAccountId);
    expect(entries.map(({ kind }: any) => kind)).toEqual(Array.from({ length: 100 }, () => 'recovered'));
  });
});

describe('the link to sign in with again', () => {
  const link = (id: string, by = admin) => by.call('POST', `/accounts/${id}/reconnectLink`);

  it('is not for accounts with a password', async () => {
    expect(await link(accountId)).toMatchObject({ status: 409, body: { code: 'Conflict' } });
  });

  it('needs an OAuth client, and somewhere to come back to', async () => {
    expect((await link(googleId)).body.message).toContain('OAuth client');
    await service.setOAuthClient({ providerType: 'GOOGLE', clientId: 'client-1', clientSecret: 'secret-1' });
    expect(await link(googleId)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('redirect URL') },
    });
  });

  it('leads to the provider, with the address of the account', async () => {
    await sql('insert into redirect_url (id, application_id, url, created_at) values ($1, $2, $3, now())', [
      randomUUID(),
      service.applicationId,
      'https://app.example/back',
    ]);
    const { status, body } = await link(googleId);
    expect([status, body.provider]).toEqual([200, 'google']);
    expect(body.url.startsWith(`${service.baseUrl}/api/v1/oauth/authorize/${service.applicationId}/google?`)).toBe(
      true,
    );
    const response = await fetch(body.url, { redirect: 'manual' });
    expect(response.status).toBe(302);
    const location = new URL(response.headers.get('location') as string);
    expect(location.searchParams.get('client_id')).toBe('client-1');
    expect(location.searchParams.get('login_hint')).toBe('Ada+100%@Example.org');
  });

  it('is for admins', async () => {
    expect((await link(googleId, viewer)).status).toBe(403);
  });
});

describe('the request log', () => {
  const search = async (query: Record<string, string | number>) => {
    const { status, body } = await viewer.call('GET', '/requests', { query });
    return status === 200 ? body.data : body.code;
  };
  /** Rows come up to a second after their answers. */
  const found = (query: Record<string, string | number>, count = 1): Promise<any[]> =>
    eventually(`${count} recorded requests`, async () => {
      const rows = await search(query);
      return rows.length >= count ? rows : undefined;
    });
  const asked = async (method: string, path: string, options: Parameters<Service['call']>[2] = {}) => {
    const requestId = randomUUID();
    const { status } = await service.call(method, path, {
      ...options,
      headers: { 'x-request-id': requestId, ...options.headers },
    });
    return { requestId, status };
  };

  it('has who asked for what, about whom, and what came of it', async () => {
    const { requestId } = await asked('GET', `/v1/endUserAccounts/${accountId}`);
    const [row] = await found({ requestId });
    expect(row).toEqual({
      requestId,
      at: expect.any(String),
      method: 'GET',
      route: '/v1/endUserAccounts/:endUserAccountId',
      status: 200,
      errorCode: null,
      durationMs: expect.any(Number),
      applicationId: service.applicationId,
      apiKeyId: expect.any(String),
      accountId,
      providerType: 'CALDAV',
      traceUrl: null,
    });
    // The key's text has its id without dashes, and nothing of its secret is here.
    expect(row.apiKeyId.replaceAll('-', '')).toBe(service.apiKey.split('_')[1]);
  });

  it.each([
    ['an account of another application', () => `/v1/calendars/${otherAccountId}`],
    ['no id at all', () => `/v1/calendars/${CANARY}`],
  ])('names no account that is not proven to be of the application: %s', async (_, path) => {
    const { requestId } = await asked('GET', path());
    expect(await found({ requestId })).toEqual([
      expect.objectContaining({
        status: 404,
        errorCode: 'NotFound',
        route: '/v1/calendars/:endUserAccountId',
        applicationId: service.applicationId,
        accountId: null,
        providerType: null,
      }),
    ]);
  });

  it('names the account of a request that failed on it', async () => {
    const { requestId } = await asked('GET', `/v1/calendars/${accountId}`, { query: { nonsense: CANARY } });
    expect(await found({ requestId })).toEqual([
      expect.objectContaining({ status: 400, errorCode: 'ValidationFailed', accountId, providerType: 'CALDAV' }),
    ]);
  });

  it('knows of who has no key what they asked for, and no more', async () => {
    const { requestId } = await asked('GET', `/v1/calendars/${accountId}`, { key: `uck_${CANARY}` });
    expect(await found({ requestId })).toEqual([
      expect.objectContaining({
        status: 401,
        errorCode: 'InvalidApiKey',
        route: '/v1/calendars/:endUserAccountId',
        applicationId: null,
        apiKeyId: null,
        accountId: null,
      }),
    ]);
  });

  it('N55 keeps no path that there is not, no query and no body', async () => {
    const { requestId } = await asked('POST', `/${CANARY}`, { body: { password: CANARY }, query: { token: CANARY } });
    expect(await found({ requestId })).toEqual([expect.objectContaining({ status: 404, method: 'POST', route: '*' })]);
    const search = await asked('GET', '/v1/endUserAccounts', { query: { search: CANARY } });
    expect(await found({ requestId: search.requestId })).toEqual([
      expect.objectContaining({ status: 200, route: '/v1/endUserAccounts' }),
    ]);
    const rows = await sql<{ row: string }>('select r::text as row from request_record r');
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.filter(({ row }) => row.includes(CANARY))).toEqual([]);
  });

  it('has what operators change, and neither what they read nor what probes and providers ask', async () => {
    const before = { 'x-request-id': `before-${randomUUID()}` };
    await viewer.call('GET', '/accounts', { headers: before });
    await fetch(`${service.baseUrl}/health/ready`, { headers: before });
    await fetch(`${service.baseUrl}/api/v1/providers/google/notifications/x`, { method: 'POST', headers: before });
    const after = `after-${randomUUID()}`;
    await viewer.call('DELETE', `/accounts/${accountId}`, { headers: { 'x-request-id': after } });
    expect(await found({ requestId: after })).toEqual([
      expect.objectContaining({
        status: 403,
        errorCode: 'Forbidden',
        route: '/operator/v1/accounts/:accountId',
        applicationId: null,
        accountId: null,
      }),
    ]);
    expect(await search({ requestId: before['x-request-id'] })).toEqual([]);
  });

  it('is searched by application, account, status, its class and time, in pages', async () => {
    const { requestId } = await asked('GET', '/v1/endUserAccounts', { key: other.apiKey });
    const [{ at }] = (await found({ requestId })) as [{ at: string }];
    const ids = async (query: Record<string, string | number>) =>
      (await search(query)).map((row: { requestId: string }) => row.requestId);
    expect(await ids({ applicationId: other.applicationId, from: at })).toContain(requestId);
    expect(await ids({ applicationId: other.applicationId, to: at })).not.toContain(requestId);
    expect(await ids({ applicationId: service.applicationId })).not.toContain(requestId);
    const every = async (query: Record<string, string>, holds: (row: any) => boolean) => {
      const rows = await search(query);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.filter((row: any) => !holds(row))).toEqual([]);
    };
    await every({ accountId }, (row) => row.accountId === accountId);
    await every({ status: '404' }, (row) => row.status === 404);
    await every({ status: '4xx' }, (row) => row.status >= 400 && row.status < 500);
    await every({ status: '2xx' }, (row) => row.status < 300);
    const everything = await ids({ limit: 200, to: at });
    const paged: string[] = [];
    let pageToken: string | null = null;
    do {
      const query: Record<string, string | number> = { limit: 3, to: at, ...(pageToken !== null && { pageToken }) };
      const { body } = await viewer.call('GET', '/requests', { query });
      paged.push(...body.data.map((row: { requestId: string }) => row.requestId));
      pageToken = body.nextPageToken;
    } while (pageToken !== null);
    expect(paged).toEqual(everything);
    expect(await search({ status: 'teapot' })).toBe('ValidationFailed');
    expect(await search({ applicationId: 'x' })).toBe('ValidationFailed');
  });
});

describe('an account that is deleted', () => {
  it('is gone as if its application had deleted it, and the audit log says who did', async () => {
    expect((await viewer.call('DELETE', `/accounts/${accountId}`)).status).toBe(403);
    const requestId = randomUUID();
    const response = await admin.call('DELETE', `/accounts/${accountId}`, { headers: { 'x-request-id': requestId } });
    expect(response.status).toBe(204);
    expect((await viewer.call('GET', `/accounts/${accountId}`)).status).toBe(404);
    expect((await service.call('GET', `/v1/endUserAccounts/${accountId}`)).status).toBe(404);
    expect(
      await sql('select actor, subject, application_id from audit_entry where request_id = $1', [requestId]),
    ).toEqual([
      {
        actor: `operator:${admin.email}`,
        subject: `end-user-account:${accountId}`,
        application_id: service.applicationId,
      },
    ]);
    expect(await sql("select 1 as one from outbox where event_type = 'enduseraccount.deleted'")).toHaveLength(1);
    expect(await sql('select 1 as one from account_status_change where account_id = $1', [accountId])).toEqual([]);
    expect((await admin.call('DELETE', `/accounts/${accountId}`)).status).toBe(404);
  });

  it('is named by the request that deleted it, which a process that stops writes before it ends', async () => {
    const headers = { 'x-request-id': 'the-last-one' };
    const { status } = await service.call('DELETE', `/v1/endUserAccounts/${otherAccountId}`, {
      key: other.apiKey,
      headers,
    });
    expect(status).toBe(200);
    await service.program.stop();
    expect(await sql('select account_id, status from request_record where request_id = $1', ['the-last-one'])).toEqual([
      { account_id: otherAccountId, status: 200 },
    ]);
  });
});
