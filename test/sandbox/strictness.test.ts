import { rawRequest } from '../support/raw-http.js';
import { FULL_SCOPES, startSandbox, type Sandbox } from '../support/sandbox.js';
import { Visitor } from './visitor.js';

const CLIENT = { clientId: 'cid-1', clientSecret: 'secret-1', redirectUris: ['http://127.0.0.1:9/callback'] };
const ADA = 'ada@example.com';
const EVENTS = '/calendars/primary/events';
const TIMES = { start: { dateTime: '2026-12-07T09:00:00Z' }, end: { dateTime: '2026-12-07T10:00:00Z' } };

interface Call {
  body?: unknown;
  headers?: Record<string, string>;
}

describe('what the Calendar API of the sandbox lets through', () => {
  let sandbox: Sandbox;
  let accessToken: string;

  beforeAll(async () => {
    sandbox = await startSandbox();
    await sandbox.addClient(CLIENT);
    await sandbox.addUser({ email: ADA });
    ({ accessToken } = await sandbox.grant(ADA, CLIENT.clientId, FULL_SCOPES));
  });

  beforeEach(() => sandbox.clearViolations());

  afterAll(async () => {
    await sandbox?.stop();
  });

  const call = async (method: string, path: string, { body, headers = {} }: Call = {}) => {
    const response = await fetch(`${sandbox.googleUrl}/calendar/v3${path}`, {
      method,
      headers: {
        authorization: `Bearer ${accessToken}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) };
  };
  const errorOf = ({ body }: { body: any }) => body.error.errors[0];

  it.each<[string, string, string, Call, string]>([
    ['a misspelt parameter', 'GET', `${EVENTS}?maxResult=5`, {}, 'badRequest'],
    ['a parameter of another method', 'GET', `/users/me/calendarList?singleEvents=true`, {}, 'badRequest'],
    ['a path parameter in the query', 'GET', `${EVENTS}?calendarId=primary`, {}, 'badRequest'],
    ['a token in the query', 'GET', `${EVENTS}?oauth_token=x`, {}, 'badRequest'],
    ['a prototype for a parameter', 'GET', `${EVENTS}?__proto__=x`, {}, 'badRequest'],
    ['a text for an integer', 'GET', `${EVENTS}?maxResults=ten`, {}, 'invalidParameter'],
    ['an integer below the minimum', 'GET', `${EVENTS}?maxResults=0`, {}, 'invalidParameter'],
    ['an integer above the maximum', 'POST', `${EVENTS}?conferenceDataVersion=2`, { body: TIMES }, 'invalidParameter'],
    ['another boolean', 'GET', `${EVENTS}?singleEvents=True`, {}, 'invalidParameter'],
    ['an unknown value', 'GET', `${EVENTS}?orderBy=start`, {}, 'invalidParameter'],
    [
      'an unknown value among repeated ones',
      'GET',
      `${EVENTS}?eventTypes=default&eventTypes=x`,
      {},
      'invalidParameter',
    ],
    ['one value twice', 'GET', `${EVENTS}?q=a&q=b`, {}, 'invalidParameter'],
    ['an instant without offset', 'GET', `${EVENTS}?timeMin=2026-12-01T00:00:00`, {}, 'badRequest'],
    ['a missing parameter', 'POST', `${EVENTS}/x/move`, {}, 'required'],
    ['a selection of what the answer has not', 'GET', `${EVENTS}?fields=items(name)`, {}, 'invalidParameter'],
    ['an unknown property', 'POST', EVENTS, { body: { ...TIMES, title: 'x' } }, 'badRequest'],
    [
      'an unknown property deep inside',
      'POST',
      EVENTS,
      { body: { ...TIMES, attendees: [{ mail: 'x' }] } },
      'badRequest',
    ],
    ['a number for a text', 'POST', EVENTS, { body: { ...TIMES, summary: 5 } }, 'badRequest'],
    ['an object for a list', 'POST', EVENTS, { body: { ...TIMES, attendees: {} } }, 'badRequest'],
    [
      'a number among private properties',
      'POST',
      EVENTS,
      { body: { ...TIMES, extendedProperties: { private: { a: 1 } } } },
      'badRequest',
    ],
    ['null on insert', 'POST', EVENTS, { body: { ...TIMES, summary: null } }, 'badRequest'],
    ['null in a list of a patch', 'PATCH', `${EVENTS}/x`, { body: { attendees: [null] } }, 'badRequest'],
    ['a body without what it must have', 'POST', EVENTS, { body: { start: TIMES.start } }, 'required'],
    ['a body that is a list', 'POST', EVENTS, { body: [] }, 'badRequest'],
    ['a prototype in a body', 'POST', EVENTS, { body: '{"__proto__":{"summary":"x"}}' }, 'badRequest'],
    ['a body that is no JSON', 'POST', EVENTS, { body: '{"summary":' }, 'parseError'],
    [
      'a body of another type',
      'POST',
      EVENTS,
      { body: TIMES, headers: { 'content-type': 'text/plain' } },
      'badContent',
    ],
    ['a body where none belongs', 'DELETE', `${EVENTS}/x`, { body: {} }, 'badRequest'],
    ['a quota user of more than 40 characters', 'GET', `${EVENTS}?quotaUser=${'u'.repeat(41)}`, {}, 'invalidParameter'],
  ])('refuses and notes %s', async (_, method, path, options, reason) => {
    const response = await call(method, path, options);
    expect(response.status).toBe(400);
    expect(errorOf(response)).toMatchObject({ reason });
    expect(await sandbox.violations()).toEqual([
      {
        at: expect.any(String),
        methodId: expect.stringMatching(/^calendar\./),
        message: expect.any(String),
        request: expect.stringContaining(`${method} /calendar/v3${path.split('?')[0]}`),
      },
    ]);
  });

  it('says what Google says about a parameter that it cannot read', async () => {
    expect((await call('GET', `${EVENTS}?maxResults=0`)).body).toEqual({
      error: {
        code: 400,
        message: "Invalid value '0'. Values must be within the range: [1, 2147483647]",
        errors: [
          {
            domain: 'global',
            reason: 'invalidParameter',
            message: "Invalid value '0'. Values must be within the range: [1, 2147483647]",
            locationType: 'parameter',
            location: 'maxResults',
          },
        ],
      },
    });
  });

  it.each([
    ['GET', '/calendar', 404],
    ['PUT', EVENTS, 404],
    ['GET', '/calendars/primary/events/', 404],
    ['GET', '/calendars/%ff/events', 404],
  ])('knows no %s %s', async (method, path, status) => {
    expect((await call(method, path)).status).toBe(status);
    expect(await sandbox.violations()).toHaveLength(1);
  });

  it('takes null for what a patch clears, and the standard parameters', async () => {
    const made = await call('POST', EVENTS, { body: { ...TIMES, location: 'Room 4' } });
    const patch = { location: null, extendedProperties: { private: { gone: null } } };
    const query = '?alt=json&prettyPrint=false&quotaUser=u&key=k&userIp=127.0.0.1';
    const patched = await call('PATCH', `${EVENTS}/${made.body.id}${query}`, { body: patch });
    expect(patched.status).toBe(200);
    expect(patched.body).not.toHaveProperty('location');
    expect(patched.text).not.toContain('\n ');
    expect(made.text).toContain('\n ');
    await sandbox.expectNoViolations();
  });

  it('N19 sees one segment where an id has slashes and question marks', async () => {
    const statusOf = async (id: string) => (await call('GET', `/calendars/${encodeURIComponent(id)}/events`)).status;
    for (const id of ['../../token', 'a/b', 'x?y=1', 'a#b', '%2e%2e']) expect(await statusOf(id)).toBe(404);
    expect(await statusOf(ADA)).toBe(200);
    await sandbox.expectNoViolations();
  });

  it.each([
    ['nextSyncToken', ['nextSyncToken']],
    ['kind,items/id', ['items', 'kind']],
    ['*', expect.arrayContaining(['etag', 'items', 'kind', 'summary'])],
  ])('leaves out what fields=%s does not ask for', async (fields, names) => {
    const response = await call('GET', `${EVENTS}?fields=${encodeURIComponent(fields)}`);
    expect(Object.keys(response.body).sort()).toEqual(names);
    await sandbox.expectNoViolations();
  });

  it('codes the answer with gzip when asked, and not otherwise', async () => {
    const port = Number(new URL(sandbox.googleUrl).port);
    const lines = ['GET /oauth2/v3/certs HTTP/1.1', 'host: x', 'connection: close'];
    expect(JSON.parse((await rawRequest(port, lines)).body)).toHaveProperty('keys');
    const coded = await fetch(`${sandbox.googleUrl}/oauth2/v3/certs`, { headers: { 'accept-encoding': 'gzip' } });
    expect(coded.headers.get('content-encoding')).toBe('gzip');
    expect(await coded.json()).toHaveProperty('keys');
    const rejected = await rawRequest(port, [...lines, 'accept-encoding: gzip;q=0, identity']);
    expect(rejected.headers).not.toHaveProperty('content-encoding');
  });

  it('N14 takes bodies of up to 1 MiB', async () => {
    const description = 'x'.repeat(1024 * 1024);
    const port = Number(new URL(sandbox.googleUrl).port);
    const lines = [`POST /calendar/v3${EVENTS} HTTP/1.1`, 'host: x', `content-length: ${description.length + 1}`];
    expect((await rawRequest(port, lines, description, 'x')).status).toBe(413);
    expect((await call('GET', EVENTS)).status).toBe(200);
  });

  describe('the token', () => {
    const withToken = (token: string, path = EVENTS) =>
      call('GET', path, { headers: { authorization: `Bearer ${token}` } });

    it('is asked for with a challenge when it is unknown, expired or revoked', async () => {
      const { accessToken: expired } = await sandbox.grant(ADA, CLIENT.clientId);
      await sandbox.expireAccessTokens();
      for (const token of ['ya29.never-issued', expired]) {
        const response = await withToken(token);
        expect(response.status).toBe(401);
        expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /);
        expect(response.body.error).toMatchObject({
          ...{ code: 401, message: 'Invalid Credentials' },
          errors: [{ domain: 'global', reason: 'authError', locationType: 'header', location: 'Authorization' }],
        });
      }
      await sandbox.expectNoViolations();
      ({ accessToken } = await sandbox.grant(ADA, CLIENT.clientId, FULL_SCOPES));
    });

    it('must be sent at all', async () => {
      const response = await fetch(`${sandbox.googleUrl}/calendar/v3${EVENTS}`);
      expect(response.status).toBe(401);
      expect(await sandbox.violations()).toMatchObject([{ message: 'no access token' }]);
    });

    it('may lack a scope that was refused, but not one that was never asked for', async () => {
      const scope = 'openid https://www.googleapis.com/auth/calendar.calendarlist';
      const [redirectUri = ''] = CLIENT.redirectUris;
      const request = { client_id: CLIENT.clientId, redirect_uri: redirectUri, response_type: 'code', scope };
      const query = new URLSearchParams(request).toString();
      const visitor = new Visitor(sandbox.googleUrl);
      const back = await visitor.signIn(`${sandbox.googleUrl}/o/oauth2/v2/auth?${query}`, 'modest@example.com');
      const response = await fetch(`${sandbox.googleUrl}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          ...{ grant_type: 'authorization_code', code: back.url.searchParams.get('code') ?? '' },
          ...{ redirect_uri: redirectUri, client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret },
        }),
      });
      const tokens = (await response.json()) as { access_token: string };
      expect((await withToken(tokens.access_token)).status).toBe(403);
      expect(await sandbox.violations()).toMatchObject([
        { methodId: 'calendar.events.list', message: expect.stringContaining('never asked') },
      ]);
    });

    it('allows what one of its scopes allows: what the user did not grant is no violation', async () => {
      const calendarList = 'https://www.googleapis.com/auth/calendar.calendarlist';
      await sandbox.addUser({ email: 'scoped@example.com' });
      const scoped = await sandbox.grant('scoped@example.com', CLIENT.clientId, [calendarList]);
      expect((await withToken(scoped.accessToken, '/users/me/calendarList')).status).toBe(200);
      expect((await withToken(scoped.accessToken)).body).toEqual({
        error: {
          code: 403,
          message: 'Request had insufficient authentication scopes.',
          status: 'PERMISSION_DENIED',
          errors: [{ domain: 'global', reason: 'insufficientPermissions', message: 'Insufficient Permission' }],
          details: [expect.objectContaining({ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT', domain: 'googleapis.com' })],
        },
      });
      await sandbox.unlink('scoped@example.com', CLIENT.clientId, [calendarList]);
      expect((await withToken(scoped.accessToken, '/users/me/calendarList')).status).toBe(403);
      await sandbox.expectNoViolations();
    });
  });
});
