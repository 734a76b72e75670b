import { DEMO_CLIENTS } from '../../apps/sandbox/src/demo-clients.js';
import { eventually } from '../support/processes.js';
import { rawRequest } from '../support/raw-http.js';
import { startSandbox, type Sandbox } from '../support/sandbox.js';

const CLIENT = { clientId: 'cid-1', clientSecret: 'secret-1', redirectUris: ['http://127.0.0.1:9/callback'] };
const ADA = 'ada@example.com';

describe('the control API of the sandbox', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox({ SANDBOX_SEED: 'demo', SANDBOX_REDIRECT_URIS: 'http://127.0.0.1:9/demo' });
  });

  beforeEach(() => sandbox.reset());

  afterAll(async () => {
    await sandbox?.stop();
  });

  it('says that it lives', async () => {
    expect(await sandbox.control('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('begins with the demonstration when it is told to, and returns to it', async () => {
    await sandbox.addUser({ email: 'x@example.com' });
    await sandbox.removeUser(ADA);
    await sandbox.advanceClock(86_400_000);
    await sandbox.reset();
    expect(await sandbox.users()).toMatchObject([
      { email: ADA, name: 'Ada Byron', timeZone: 'Europe/London' },
      { email: 'grace@example.com', name: 'Grace Murray', timeZone: 'America/New_York' },
    ]);
    const { body } = await sandbox.act({
      ...{ email: ADA, methodId: 'calendar.events.list', path: { calendarId: 'primary' } },
      query: { timeMin: new Date(Date.now() - 14 * 86_400_000).toISOString() },
    });
    expect(body.items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO'] }),
        expect.objectContaining({ start: { date: expect.any(String) } }),
        expect.objectContaining({ attendees: expect.arrayContaining([expect.objectContaining({ email: ADA })]) }),
      ]),
    );
    const query = { client_id: DEMO_CLIENTS.google.clientId, redirect_uri: 'http://127.0.0.1:9/demo' };
    const url = `${sandbox.googleUrl}/o/oauth2/v2/auth?${new URLSearchParams({ ...query, response_type: 'code', scope: 'openid' }).toString()}`;
    expect((await fetch(url)).status).toBe(200);
    expect(Math.abs(Date.parse((await sandbox.control('GET', '/health')).body.now) - Date.now())).toBeLessThan(60_000);
    await sandbox.expectNoViolations();
  });

  it.each<[string, 'POST' | 'DELETE' | 'GET', string, unknown, number, string]>([
    ['an unknown control', 'GET', '/nothing', undefined, 404, 'There is no such control.'],
    ['another method', 'GET', '/reset', undefined, 405, 'This control takes POST.'],
    ['an unknown property', 'POST', '/google/users', { email: ADA, nam: 'x' }, 400, 'nam is unknown.'],
    ['no address', 'POST', '/google/users', { email: 'ada' }, 400, 'email must be an email address.'],
    [
      'a prototype',
      'POST',
      '/google/users',
      JSON.parse('{"__proto__":{"email":"a@b.c"}}'),
      400,
      '__proto__ is unknown.',
    ],
    [
      'no time zone',
      'POST',
      '/google/users',
      { email: 'a@b.c', timeZone: '+01:00' },
      400,
      'timeZone must be an IANA time zone.',
    ],
    [
      'an account twice',
      'POST',
      '/google/users',
      { email: ADA.toUpperCase() },
      409,
      `${ADA.toUpperCase()} has an account already.`,
    ],
    [
      'a sub that is no number',
      'POST',
      '/google/users',
      { email: 'a@b.c', sub: 'x' },
      400,
      'sub must be decimal digits.',
    ],
    [
      'no such user',
      'DELETE',
      '/google/users/nobody%40example.com',
      undefined,
      404,
      'nobody@example.com has no account.',
    ],
    [
      'no redirect URI',
      'POST',
      '/google/clients',
      { ...CLIENT, redirectUris: ['/x'] },
      400,
      'redirectUris[0] must be an absolute URI without a fragment.',
    ],
    ['no such client', 'DELETE', '/google/clients/nobody', undefined, 404, 'There is no client nobody.'],
    [
      'no such scope',
      'POST',
      '/google/grants',
      { email: ADA, clientId: 'x', scopes: ['x'] },
      400,
      'scopes[0] must be a scope that Google knows.',
    ],
    [
      'a grant for nobody',
      'POST',
      '/google/grants',
      { email: ADA, clientId: 'x', scopes: [] },
      404,
      'There is no client x.',
    ],
    [
      'nothing to unlink',
      'POST',
      '/google/grants/unlink',
      { email: ADA, clientId: 'x', scopes: [] },
      404,
      `${ADA} has allowed x nothing.`,
    ],
    [
      'no such fault',
      'POST',
      '/google/faults',
      { match: {}, action: { type: 'explode' } },
      400,
      'action.type must be one of status, delay, drip, huge, replace, html, hang, reset, reset-mid-body, truncate, garbage, lose-response.',
    ],
    [
      'a fault of no method',
      'POST',
      '/google/faults',
      { match: { methodId: 'events.list' }, action: { type: 'hang' } },
      400,
      'match.methodId must be the id of a method, such as calendar.events.list.',
    ],
    [
      'a status that is none',
      'POST',
      '/google/faults',
      { match: {}, action: { type: 'status', status: 99 } },
      400,
      'action.status must be an integer from 200 to 599.',
    ],
    [
      'a header that cannot be sent',
      'POST',
      '/google/faults',
      { match: {}, action: { type: 'status', status: 200, headers: { a: 'b\r\nc' } } },
      400,
      'action.headers.a is no header that can be sent.',
    ],
    [
      'a property of another fault',
      'POST',
      '/google/faults',
      { match: {}, action: { type: 'hang', ms: 1 } },
      400,
      'action.ms is unknown.',
    ],
    [
      'a replacement by nothing',
      'POST',
      '/google/faults',
      { match: {}, action: { type: 'replace' } },
      400,
      'action.body is missing.',
    ],
    [
      'two clocks',
      'POST',
      '/clock',
      { advanceMs: 1, set: '2026-01-01T00:00:00Z' },
      400,
      'Either advanceMs or set must be given.',
    ],
    [
      'a time of no place',
      'POST',
      '/clock',
      { set: '2026-01-01T00:00:00' },
      400,
      'set must be an ISO 8601 instant with an offset.',
    ],
    ['no such channel', 'DELETE', '/google/channels/x', undefined, 404, 'There is no channel x.'],
    ['an act of no method', 'POST', '/google/act', { email: ADA, methodId: 'x' }, 400, 'methodId x is unknown.'],
    [
      'an act without its place',
      'POST',
      '/google/act',
      { email: ADA, methodId: 'calendar.events.list' },
      400,
      'path must have calendarId.',
    ],
    ['a query', 'GET', '/google/users?email=x', undefined, 400, 'The controls take no query.'],
    ['a body for GET', 'DELETE', '/violations', {}, 400, 'DELETE takes no body.'],
    ['a list for an object', 'POST', '/google/users', [], 400, 'the body must be an object.'],
  ])('refuses %s with a sentence', async (_, method, path, body, status, error) => {
    expect(await sandbox.control(method, path, body)).toEqual({ status, body: { error } });
  });

  it('refuses bodies that are no JSON', async () => {
    const post = async (body: string, type: string) =>
      (await fetch(`${sandbox.controlUrl}/clock`, { method: 'POST', headers: { 'content-type': type }, body })).status;
    expect([await post('{', 'application/json'), await post('{}', 'text/plain')]).toEqual([400, 415]);
  });

  it.each(['origin: http://example.com', 'sec-fetch-site: cross-site', 'sec-fetch-site: same-origin'])(
    'is not for pages: %s',
    async (header) => {
      const port = Number(new URL(sandbox.controlUrl).port);
      const { status } = await rawRequest(port, ['POST /reset HTTP/1.1', 'host: x', 'content-length: 0', header]);
      expect(status).toBe(403);
    },
  );

  it('sets the clock, and moves it', async () => {
    const set = await sandbox.control('POST', '/clock', { set: '2030-01-01T00:00:00+01:00' });
    expect(set.body.now).toMatch(/^2029-12-31T23:00:0/);
    expect((await sandbox.control('POST', '/clock', { advanceMs: -3_600_000 })).body.now).toMatch(/^2029-12-31T22:00:/);
  });

  it('acts as a user, without a token, and tells what Google answers', async () => {
    const insert = { email: ADA, methodId: 'calendar.events.insert', path: { calendarId: 'primary' } };
    const times = { start: { date: '2026-12-07' }, end: { date: '2026-12-08' } };
    const made = await sandbox.act({ ...insert, body: { summary: 'Made', ...times } });
    expect(made).toMatchObject({ status: 200, body: { summary: 'Made', creator: { email: ADA } } });
    const stale = await sandbox.act({
      ...{ email: ADA, methodId: 'calendar.events.patch', body: { summary: 'Changed' } },
      ...{ path: { calendarId: 'primary', eventId: made.body.id }, headers: { 'If-Match': '"0"' } },
    });
    expect(stale).toMatchObject({ status: 412, body: { error: { code: 412 } } });
    const odd = await sandbox.act({ ...insert, body: { title: 'x', ...times } });
    expect(odd.status).toBe(400);
    await expect(sandbox.act({ ...insert, body: { ...times, htmlLink: 'https://x' } })).rejects.toThrow(
      'as Google wants',
    );
    expect(await sandbox.requests()).toEqual([]);
    await sandbox.expectNoViolations();
  });

  it('ends sync tokens and page tokens', async () => {
    const list = (query: Record<string, string | number>) =>
      sandbox.act({ email: ADA, methodId: 'calendar.events.list', path: { calendarId: 'primary' }, query });
    const { nextSyncToken } = (await list({})).body;
    expect((await list({ syncToken: nextSyncToken })).status).toBe(200);
    await sandbox.expireSyncTokens({ email: 'grace@example.com' });
    expect((await list({ syncToken: nextSyncToken })).status).toBe(200);
    await sandbox.expireSyncTokens({ email: ADA, calendarId: ADA });
    expect(await list({ syncToken: nextSyncToken })).toMatchObject({ status: 410 });
    const { nextPageToken } = (await list({ maxResults: 1 })).body;
    await sandbox.expirePageTokens();
    expect((await list({ maxResults: 1, pageToken: nextPageToken })).status).toBe(400);
  });

  it('lets conferences wait and fail', async () => {
    const insert = async (id: string) =>
      (
        await sandbox.act({
          ...{ email: ADA, methodId: 'calendar.events.insert', path: { calendarId: 'primary' } },
          query: { conferenceDataVersion: 1 },
          body: {
            ...{ id, start: { date: '2026-12-07' }, end: { date: '2026-12-08' } },
            conferenceData: { createRequest: { requestId: id, conferenceSolutionKey: { type: 'hangoutsMeet' } } },
          },
        })
      ).body.conferenceData.createRequest.status.statusCode;
    expect(await insert('conference1')).toBe('success');
    await sandbox.conference({ pendingMs: 60_000, fail: true });
    expect(await insert('conference2')).toBe('pending');
    await sandbox.advanceClock(60_000);
    const { body } = await sandbox.act({
      ...{ email: ADA, methodId: 'calendar.events.get', path: { calendarId: 'primary', eventId: 'conference2' } },
    });
    expect(body.conferenceData.createRequest.status.statusCode).toBe('failure');
  });

  it('logs requests without their secrets, and forgets them', async () => {
    await fetch(`${sandbox.googleUrl}/revoke?token=ya29.secret`, { method: 'POST' });
    await fetch(`${sandbox.googleUrl}/nothing?q=1`);
    expect(await sandbox.requests()).toEqual([
      {
        ...{ at: expect.any(String), kind: 'revoke', methodId: null, method: 'POST', path: '/revoke' },
        ...{ query: 'token=redacted', user: null, status: 400 },
      },
      expect.objectContaining({ kind: 'unknown', path: '/nothing', query: 'q=1', status: 404 }),
    ]);
    expect(await sandbox.violations()).toEqual([
      expect.objectContaining({ message: 'there is no such endpoint', request: 'GET /nothing?q=1' }),
    ]);
    await sandbox.clearRequests();
    await sandbox.clearViolations();
    expect([await sandbox.requests(), await sandbox.violations()]).toEqual([[], []]);
  });

  it('ends by itself on SIGTERM, while a request hangs', async () => {
    const other = await startSandbox();
    await other.fault({}, { type: 'hang' });
    const hanging = fetch(`${other.googleUrl}/oauth2/v3/certs`).catch(() => 'ended');
    await eventually('the request hangs', async () => (await other.requests()).length > 0 || undefined);
    other.program.child.kill('SIGTERM');
    expect([await other.program.exited, await hanging]).toEqual([0, 'ended']);
  });

  it.each([
    [{ SANDBOX_GOOGLE_PORT: '99999' }, 'SANDBOX_GOOGLE_PORT must be an integer from 0 to 65535.'],
    [{ SANDBOX_GOOGLE_CLIENT: 'id' }, 'SANDBOX_GOOGLE_CLIENT must be <client id>:<client secret>.'],
    [{ SANDBOX_OPERATORS_CLIENT: ':secret' }, 'SANDBOX_OPERATORS_CLIENT must be <client id>:<client secret>.'],
    [{ SANDBOX_SEED: 'all' }, 'SANDBOX_SEED must be demo or empty.'],
    [{ SANDBOX_GOOGLE_URL: 'localhost:1' }, 'SANDBOX_GOOGLE_URL must be an origin, without a path.'],
    [{ SANDBOX_REDIRECT_URIS: '/callback' }, 'SANDBOX_REDIRECT_URIS: /callback is no absolute URI.'],
  ])('does not start with %j', async (settings, problem) => {
    await expect(startSandbox(settings)).rejects.toThrow(problem);
  });

  it('does not start where somebody listens already', async () => {
    const { port } = new URL(sandbox.controlUrl);
    await expect(startSandbox({ SANDBOX_CONTROL_PORT: port })).rejects.toThrow('EADDRINUSE');
  });

  it('tells the origins that it is known by', async () => {
    const known = { SANDBOX_GOOGLE_URL: 'http://localhost:4010', SANDBOX_CONTROL_URL: 'http://localhost:4012' };
    const other = await startSandbox(known);
    expect([other.googleUrl, other.controlUrl]).toEqual(['http://localhost:4010', 'http://localhost:4012']);
    await other.stop();
  });
});
