import { Client, GraphError, ResponseType, type Context } from '@microsoft/microsoft-graph-client';
import { startSandbox, type Sandbox } from '../support/sandbox.js';

const CLIENT = {
  clientId: '0b6f3c1e-5d2a-4f7b-9c8d-1e2f3a4b5c6d',
  clientSecret: 'secret-1',
  redirectUris: ['http://127.0.0.1:9/callback'],
};
const IDA = 'ida@fabrikam.example';
const PREFER = 'IdType="ImmutableId", outlook.timezone="UTC"';
const WINDOW = { startDateTime: '2026-12-01T00:00:00Z', endDateTime: '2026-12-31T00:00:00Z' };

describe('Graph, by the official client', () => {
  let sandbox: Sandbox;
  let graph: Client;
  let accessToken: string;

  /** Its own middleware gives tokens to https only. */
  const clientOf = (token: string): Client =>
    Client.initWithMiddleware({
      baseUrl: `${sandbox.microsoftUrl}/`,
      middleware: {
        async execute(context: Context): Promise<void> {
          const { headers: given = {}, ...options } = context.options ?? {};
          const headers = { ...(given as Record<string, string>), authorization: `Bearer ${token}` };
          context.response = await fetch(context.request, { ...options, headers });
        },
      },
    });
  /** Path and query of a link: the client takes absolute ones with https only. */
  const below = (link: string): string => link.slice(`${sandbox.microsoftUrl}/v1.0`.length);
  const event = (subject: string, day = 7) => ({
    subject,
    start: { dateTime: `2026-12-0${day}T09:00:00`, timeZone: 'Europe/Berlin' },
    end: { dateTime: `2026-12-0${day}T10:00:00`, timeZone: 'Europe/Berlin' },
  });
  const rejection = async (request: Promise<unknown>): Promise<string> => {
    const error = await request.then(
      () => new Error('not refused'),
      (reason: unknown) => reason as GraphError,
    );
    return error instanceof GraphError ? `${error.statusCode} ${error.code}` : String(error);
  };
  const violations = async (): Promise<string[]> => {
    const violations = await sandbox.microsoft.violations();
    await sandbox.microsoft.clearViolations();
    return violations.map(({ methodId, message }) => `${methodId}: ${message}`);
  };

  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(async () => sandbox.stop());
  beforeEach(async () => {
    await sandbox.reset();
    await sandbox.microsoft.addClient(CLIENT);
    await sandbox.microsoft.addUser({ email: IDA, displayName: 'Ida Berg' });
    ({ accessToken } = await sandbox.microsoft.grant(IDA, CLIENT.clientId));
    graph = clientOf(accessToken);
  });

  it('tells who the token is of', async () => {
    expect(await graph.api('/me').get()).toMatchObject({ displayName: 'Ida Berg', mail: IDA, userPrincipalName: IDA });
    await sandbox.expectNoViolations();
  });

  it('takes an event from creation to deletion', async () => {
    const events = graph.api('/me/events').header('Prefer', PREFER);
    const { id, subject } = await events.post(event('Plan the day'));
    expect(subject).toBe('Plan the day');
    const one = () => graph.api(`/me/events/${encodeURIComponent(id)}`).header('Prefer', PREFER);
    await one().patch({ subject: 'Plan the week' });
    expect(await one().get()).toMatchObject({
      id,
      subject: 'Plan the week',
      start: { dateTime: '2026-12-07T08:00:00.0000000' },
    });
    await one().delete();
    expect(await rejection(one().get())).toBe('404 ErrorItemNotFound');
    await sandbox.expectNoViolations();
  });

  it('gives out links that lead back to it, through all pages and changes', async () => {
    for (const day of [1, 2, 3])
      await graph
        .api('/me/events')
        .header('Prefer', PREFER)
        .post(event(`Day ${day}`, day));
    const seen: string[] = [];
    let page = await graph
      .api('/me/calendarView/delta')
      .query(WINDOW)
      .header('Prefer', `${PREFER}, odata.maxpagesize=2`)
      .get();
    for (;;) {
      seen.push(...page.value.map((item: { subject: string }) => item.subject));
      const next: string | undefined = page['@odata.nextLink'];
      if (next === undefined) break;
      expect(next).toMatch(new RegExp(`^${sandbox.microsoftUrl}/v1\\.0/`));
      page = await graph.api(below(next)).header('Prefer', PREFER).get();
    }
    expect([...new Set(seen)].sort()).toEqual(['Day 1', 'Day 2', 'Day 3']);
    const deltaLink: string = page['@odata.deltaLink'];
    await sandbox.microsoft.expireDeltaTokens({ email: IDA });
    expect(await rejection(graph.api(below(deltaLink)).header('Prefer', PREFER).get())).toMatch(/^410 /);
    await sandbox.expectNoViolations();
  });

  describe('tokens', () => {
    const bare = async (headers: Record<string, string>) => fetch(`${sandbox.microsoftUrl}/v1.0/me`, { headers });

    it('none: a violation', async () => {
      const response = await bare({});
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer /);
      expect(((await response.json()) as any).error.code).toBe('InvalidAuthenticationToken');
      expect(await violations()).toEqual(['getMe: no access token']);
    });

    it('expired, revoked, of a client or an account that is no more: just a 401', async () => {
      const { microsoft } = sandbox;
      const dead: [string, () => Promise<void>][] = [
        ['expired', () => microsoft.expireAccessTokens(IDA)],
        ['revoked', () => microsoft.revoke(IDA)],
        ['no client', () => microsoft.deleteClient(CLIENT.clientId)],
        ['no account', () => microsoft.removeUser(IDA)],
      ];
      for (const [why, kill] of dead) {
        await microsoft.addClient(CLIENT);
        const token = (await microsoft.grant(IDA, CLIENT.clientId)).accessToken;
        await kill();
        const response = await bare({ authorization: `Bearer ${token}` });
        expect([why, response.status]).toEqual([why, 401]);
        await response.body?.cancel();
      }
      await sandbox.expectNoViolations();
    });

    it('without the scope: 403, a violation only when it was never asked for', async () => {
      await sandbox.microsoft.unlink(IDA, CLIENT.clientId, ['Calendars.ReadWrite']);
      expect(await rejection(graph.api('/me/calendars').get())).toBe('403 ErrorAccessDenied');
      await sandbox.expectNoViolations();
    });
  });

  describe('what no correct client sends', () => {
    it.each<[string, () => Promise<unknown>, string, string]>([
      ['an unknown path', () => graph.api('/me/diary').get(), '400 BadRequest', 'null: no operation has this path'],
      [
        'another HTTP method',
        () => graph.api('/me/calendars').put({}),
        '405 ErrorInvalidRequest',
        'null: no operation has this path and HTTP method',
      ],
      [
        'an unknown option',
        () => graph.api('/me/calendars').query({ fields: 'id' }).get(),
        '400 BadRequest',
        'list_me_calendars: unknown parameter fields',
      ],
      [
        'a page of 1001',
        () => graph.api('/me/calendars').top(1001).get(),
        '400 BadRequest',
        'list_me_calendars: $top: It is out of range.',
      ],
      [
        'a property that events have not',
        () => graph.api('/me/events').header('Prefer', PREFER).select('colour').get(),
        '400 BadRequest',
        "list_me_events: $select: Could not find a property named 'colour'.",
      ],
      [
        'a view without a window',
        () => graph.api('/me/calendarView').header('Prefer', PREFER).get(),
        '400 ErrorInvalidParameter',
        'list_me_calendarView: parameter startDateTime is missing',
      ],
      [
        'an option on delta',
        () => graph.api('/me/calendarView/delta').header('Prefer', PREFER).query(WINDOW).top(5).get(),
        '400 ErrorInvalidUrlQuery',
        'list_me_calendarView_delta: $top on delta',
      ],
      [
        'a read-only property',
        () => graph.api('/me/calendars').post({ name: 'Team', hexColor: '#fff' }),
        '400 RequestBodyRead',
        'create_me_calendars: the body must NOT have additional properties: hexColor',
      ],
      [
        'a body without what is required',
        () => graph.api('/me/events').header('Prefer', PREFER).post({ subject: 'When?' }),
        '400 ErrorPropertyValidationFailure',
        "create_me_events: the body must have required property 'start'",
      ],
      [
        'a value of another type',
        () =>
          graph
            .api('/me/events')
            .header('Prefer', PREFER)
            .post({ ...event('x'), isAllDay: 'no' }),
        '400 RequestBodyRead',
        'create_me_events: isAllDay must be boolean',
      ],
      [
        'a body where none belongs',
        () => graph.api('/me/events/x/permanentDelete').header('Prefer', PREFER).post({ a: 1 }),
        '400 BadRequest',
        'permanentDelete_me_events_By_event_id: permanentDelete_me_events_By_event_id takes no body',
      ],
    ])('%s', async (_, request, rejected, violation) => {
      expect(await rejection(request())).toBe(rejected);
      expect(await violations()).toEqual([violation]);
    });

    it('events without immutable ids, although they are served', async () => {
      await graph.api('/me/events').header('Prefer', 'outlook.timezone="UTC"').get();
      expect(await violations()).toEqual(['list_me_events: no IdType="ImmutableId" in Prefer']);
    });

    it('a client-request-id that is none', async () => {
      const headers = { authorization: `Bearer ${accessToken}`, 'client-request-id': 'mine' };
      await fetch(`${sandbox.microsoftUrl}/v1.0/me`, { headers });
      expect(await violations()).toEqual(['getMe: client-request-id is no UUID']);
    });

    it.each([
      ['text/plain', '{}', '400 BadRequest', 'the body is not labelled application/json'],
      ['application/json', '{', '400 BadRequest', 'the body is no JSON object'],
      ['application/json', '7', '400 BadRequest', 'the body is no JSON object'],
      ['application/json', '', '400 BadRequest', 'the body is missing'],
    ])('a body of %s: %s', async (type, body, rejected, violation) => {
      const response = await fetch(`${sandbox.microsoftUrl}/v1.0/me/calendars`, {
        method: 'POST',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': type },
        body,
      });
      const { error } = (await response.json()) as any;
      expect(`${response.status} ${error.code}`).toBe(rejected);
      expect(await violations()).toEqual([`create_me_calendars: ${violation}`]);
    });
  });

  describe('throttling', () => {
    const slow = (times: number) =>
      sandbox.microsoft.fault({ methodId: 'getMe' }, { type: 'delay', ms: 60_000 }, { times });
    const underWay = async (count: number): Promise<void> => {
      while ((await sandbox.microsoft.requests({ methodId: 'getMe' })).length < count) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const get = (path: string, signal?: AbortSignal) =>
      fetch(`${sandbox.microsoftUrl}/v1.0${path}`, { headers: { authorization: `Bearer ${accessToken}` }, signal });

    it('turns the fifth request at once away, mailbox by mailbox', async () => {
      await slow(4);
      const leaving = new AbortController();
      const waiting = [1, 2, 3, 4].map(() => get('/me', leaving.signal).catch(() => undefined));
      await underWay(4);
      const response = await get('/me/calendars');
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1']);
      expect(((await response.json()) as any).error.code).toBe('ApplicationThrottled');
      await sandbox.microsoft.addUser({ email: 'omar@fabrikam.example' });
      const other = await sandbox.microsoft.grant('omar@fabrikam.example', CLIENT.clientId);
      expect(await clientOf(other.accessToken).api('/me/calendars').get()).toHaveProperty('value');
      leaving.abort();
      await Promise.all(waiting);
      await sandbox.expectNoViolations();
    });

    it('meets five requests that come together', async () => {
      // Long enough for all of them to have come.
      await sandbox.microsoft.fault({ methodId: 'getMe' }, { type: 'delay', ms: 1_000 }, { times: 4 });
      const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await get('/me')).status));
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      expect(await get('/me')).toMatchObject({ status: 200 });
    });
  });

  describe('$batch', () => {
    const batch = async (requests: object[]): Promise<any[]> =>
      (await graph.api('/$batch').post({ requests })).responses;
    const byId = (responses: any[]): Record<string, any> =>
      Object.fromEntries(responses.map((part) => [part.id, part]));

    it('answers each part on its own, in another order', async () => {
      const responses = await batch([
        { id: '1', method: 'GET', url: '/me' },
        { id: '2', method: 'GET', url: '/me/events/AAMkNothing', headers: { Prefer: PREFER } },
        {
          id: '3',
          method: 'POST',
          url: '/me/events',
          headers: { 'Content-Type': 'application/json', Prefer: PREFER },
          body: event('From a batch'),
        },
      ]);
      expect(responses.map(({ id }) => id)).toEqual(['3', '2', '1']);
      const parts = byId(responses);
      expect(parts['1']).toMatchObject({ status: 200, body: { mail: IDA } });
      expect(parts['2']).toMatchObject({ status: expect.any(Number), body: { error: { code: expect.any(String) } } });
      expect(parts['2'].status).toBeGreaterThanOrEqual(400);
      expect(parts['3']).toMatchObject({ status: 201, body: { subject: 'From a batch' } });
      await sandbox.expectNoViolations();
      const logged = await sandbox.microsoft.requests();
      expect(logged.map(({ methodId }) => methodId)).toEqual(
        expect.arrayContaining(['batch', 'getMe', 'get_me_events_By_event_id', 'create_me_events']),
      );
    });

    it('keeps to dependsOn, and fails what depends on a failure', async () => {
      const parts = byId(
        await batch([
          { id: 'a', method: 'GET', url: '/me/calendars/none' },
          { id: 'b', method: 'GET', url: '/me', dependsOn: ['a'] },
          { id: 'c', method: 'GET', url: '/me', dependsOn: ['b'] },
          { id: 'd', method: 'GET', url: '/me' },
        ]),
      );
      expect([parts['b'].status, parts['c'].status, parts['d'].status]).toEqual([424, 424, 200]);
    });

    it('of twenty runs four at once: none is throttled', async () => {
      const requests = Array.from({ length: 20 }, (_, index) => ({ id: `${index}`, method: 'GET', url: '/me' }));
      expect(new Set((await batch(requests)).map(({ status }) => status))).toEqual(new Set([200]));
    });

    it('throttles a part by a fault, with its Retry-After', async () => {
      await sandbox.microsoft.fault(
        { methodId: 'getMe' },
        { type: 'status', status: 429, headers: { 'retry-after': '3' } },
        { times: 1 },
      );
      await sandbox.microsoft.fault({ methodId: 'getMe' }, { type: 'reset' });
      const [part] = await batch([{ id: '1', method: 'GET', url: '/me' }]);
      expect(part).toMatchObject({
        status: 429,
        headers: { 'Retry-After': '3' },
        body: { error: { code: 'ApplicationThrottled' } },
      });
      expect((await batch([{ id: '1', method: 'GET', url: '/me' }]))[0].status).toBe(200);
    });

    it('judges the parts as it does requests', async () => {
      const [part] = await batch([{ id: '1', method: 'GET', url: '/me/events' }]);
      expect(part.status).toBe(200);
      expect(await violations()).toEqual(['list_me_events: no IdType="ImmutableId" in Prefer']);
    });

    it.each<[string, object[], string]>([
      [
        'more than twenty',
        Array.from({ length: 21 }, (_, index) => ({ id: `${index}`, method: 'GET', url: '/me' })),
        'batch: requests must NOT have more than 20 items',
      ],
      ['an id twice', [1, 2].map(() => ({ id: '1', method: 'GET', url: '/me' })), 'batch: batch: id 1 is given twice'],
      [
        'a circle',
        [
          { id: '1', method: 'GET', url: '/me', dependsOn: ['2'] },
          { id: '2', method: 'GET', url: '/me', dependsOn: ['1'] },
        ],
        'batch: batch: 1 depends on what does not come before it',
      ],
      ['itself', [{ id: '1', method: 'POST', url: '/$batch' }], 'batch: batch: a batch within a batch'],
    ])('refuses %s', async (_, requests, violation) => {
      expect(await rejection(batch(requests))).toMatch(/^400 /);
      expect(await violations()).toEqual([violation]);
    });
  });

  it('can be made to fail like Graph', async () => {
    const { microsoft } = sandbox;
    await microsoft.fault(
      { email: IDA },
      { type: 'status', status: 503, headers: { 'Retry-After': '2' } },
      { times: 1 },
    );
    const response = await fetch(`${microsoft.url}/v1.0/me`, { headers: { authorization: `Bearer ${accessToken}` } });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(((await response.json()) as any).error.code).toBe('serviceNotAvailable');
    await microsoft.fault({ methodId: 'list_me_calendars' }, { type: 'status', status: 403, reason: 'accessDenied' });
    expect(await rejection(graph.api('/me/calendars').get())).toBe('403 accessDenied');
    expect((await microsoft.faults()).map(({ fired }) => fired)).toEqual([1, 1]);
    await microsoft.clearFaults();
    const raw: Response = await graph.api('/me/calendars').responseType(ResponseType.RAW).get();
    expect(raw.status).toBe(200);
    await raw.body?.cancel();
  });
});
