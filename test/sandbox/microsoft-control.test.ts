import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../support/processes.js';
import { startSandbox, type Sandbox } from '../support/sandbox.js';

const CLIENT = { clientId: 'c-1', clientSecret: 's-1', redirectUris: ['http://127.0.0.1:9/callback'] };
const IDA = 'ida@fabrikam.example';
const OMAR = 'omar@fabrikam.example';
const CALENDAR_PATH = { 'calendar-id': '' };

interface Received {
  validationToken: string | null;
  body: any;
}

describe('controls of the Microsoft half', () => {
  let sandbox: Sandbox;
  let receiver: Server;
  let received: Received[];
  let consent: (token: string) => string;

  beforeAll(async () => {
    sandbox = await startSandbox();
    receiver = createServer((request, response) => {
      let text = '';
      request.on('data', (piece: Buffer) => (text += piece.toString()));
      request.on('end', () => {
        const validationToken = new URL(request.url ?? '', 'http://x').searchParams.get('validationToken');
        received.push({ validationToken, body: text === '' ? null : JSON.parse(text) });
        response.writeHead(validationToken === null ? 202 : 200, { 'content-type': 'text/plain' });
        response.end(validationToken === null ? '' : consent(validationToken));
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await sandbox?.stop();
    receiver?.close();
  });
  beforeEach(async () => {
    received = [];
    consent = (token) => token;
    await sandbox.reset();
    await sandbox.microsoft.addClient(CLIENT);
    await sandbox.microsoft.addUser({ email: IDA });
    await sandbox.microsoft.addUser({ email: OMAR });
  });

  const act = (methodId: string, parts: object = {}) => sandbox.microsoft.act({ email: IDA, methodId, ...parts });
  const event = (more: object = {}) => ({
    ...{ subject: 'Plan', ...more },
    start: { dateTime: '2026-12-07T09:00:00', timeZone: 'UTC' },
    end: { dateTime: '2026-12-07T10:00:00', timeZone: 'UTC' },
  });
  const rejected = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
    sandbox.control(method, path, body).then(({ status, body: { error } }) => `${status} ${error}`);

  describe('users', () => {
    it('are made up from an address', async () => {
      const work = await sandbox.microsoft.addUser({ email: 'mia.vance@contoso.example' });
      const colleague = await sandbox.microsoft.addUser({ email: 'kim@contoso.example' });
      const personal = await sandbox.microsoft.addUser({ email: 'kim@hotmail.example' });
      expect(work).toMatchObject({ displayName: 'Mia Vance', kind: 'work', hasMailbox: true, mailboxTimeZone: 'UTC' });
      expect(colleague.tid).toBe(work.tid);
      expect(colleague.oid).not.toBe(work.oid);
      expect(personal).toMatchObject({ kind: 'personal', tid: '9188040d-6c67-4c5b-b112-36a304b66dad' });
    });

    it('may have no address, or no mailbox', async () => {
      const userPrincipalName = 'guest_partner.example#EXT#@fabrikam.example';
      await sandbox.microsoft.addUser({ email: null, userPrincipalName, hasMailbox: false });
      expect((await sandbox.microsoft.users()).at(-1)).toMatchObject({ email: null, userPrincipalName });
      await sandbox.microsoft.addUser({ email: 'nobox@fabrikam.example', hasMailbox: false });
      const response = await sandbox.microsoft.act({ email: 'nobox@fabrikam.example', methodId: 'list_me_calendars' });
      expect(response).toMatchObject({ status: 404, body: { error: { code: 'MailboxNotEnabledForRESTAPI' } } });
    });

    it('have their addresses and ids to themselves within a directory', async () => {
      expect(await rejected('POST', '/microsoft/users', { email: IDA.toUpperCase() })).toMatch(/^409 /);
      const [ida] = await sandbox.microsoft.users();
      const other = { email: 'other@fabrikam.example', oid: ida?.oid };
      expect(await rejected('POST', '/microsoft/users', other)).toMatch(/^409 /);
      const tid = '22222222-3333-4444-8555-666666666666';
      expect((await sandbox.microsoft.addUser({ ...other, tid })).oid).toBe(ida?.oid);
      await sandbox.microsoft.removeUser(OMAR);
      expect((await sandbox.microsoft.users()).map(({ email }) => email)).not.toContain(OMAR);
    });
  });

  it.each<[string, object, string]>([
    ['/microsoft/users', {}, '400 Either email or userPrincipalName must be given.'],
    ['/microsoft/users', { email: 'x' }, '400 email must be an address.'],
    ['/microsoft/grants', { email: IDA, clientId: 'none', scopes: [] }, '404 There is no client none.'],
    ['/microsoft/grants', { email: IDA, clientId: 'c-1', scopes: ['All'] }, '400 scopes[0] must be a scope that'],
    ['/microsoft/grants/revoke', { email: 'no@x.example' }, '404 no@x.example has no account.'],
    ['/microsoft/faults', { match: { methodId: 'x' }, action: { type: 'hang' } }, '400 match.methodId must be'],
    ['/microsoft/act', { email: IDA, methodId: 'getMe', path: { a: 'b' } }, '400 path must have nothing.'],
    ['/microsoft/subscriptions/drop', { id: 'x', tell: true }, '404 There is no subscription x.'],
    ['/microsoft/consent-policy', { tid: 'x', policy: 'admin' }, '400 tid must be a UUID'],
    ['/microsoft/clients', { ...CLIENT, audience: 'all' }, '400 audience must be any'],
  ])('%s %j: %s', async (path, body, rejection) => {
    expect(await rejected('POST', path, body)).toMatch(new RegExp(`^${rejection.replace(/[[\].]/g, '\\$&')}`));
  });

  it('acts as the user, checked as strictly, without a trace', async () => {
    const made = await act('create_me_events', { body: event() });
    expect(made).toMatchObject({ status: 201, body: { subject: 'Plan' } });
    expect(await act('create_me_events', { body: { colour: 'red' } })).toMatchObject({ status: 400 });
    expect(await act('list_me_calendars', { query: { $top: 0 } })).toMatchObject({ status: 400 });
    expect(await sandbox.microsoft.requests()).toEqual([]);
    await sandbox.expectNoViolations();
  });

  it('puts invitations of strangers into calendars', async () => {
    const iCalUId = await sandbox.microsoft.invite({
      ...{ email: IDA, subject: 'Vendor call', startUtc: '2026-12-07T09:00:00Z', endUtc: '2026-12-07T10:00:00Z' },
      organizer: { name: 'Vendor', address: 'sales@vendor.example' },
    });
    const { body } = await act('list_me_events');
    expect(body.value).toMatchObject([{ subject: 'Vendor call', isOrganizer: false, iCalUId }]);
  });

  it('lists shared calendars among those of a user', async () => {
    const calendarId = await sandbox.microsoft.share({ owner: OMAR, with: IDA, canEdit: false });
    const { body } = await act('get_me_calendars_By_calendar_id', {
      path: { ...CALENDAR_PATH, 'calendar-id': calendarId },
    });
    expect(body).toMatchObject({ canEdit: false, owner: { address: OMAR } });
  });

  it('lets join links come later, or never', async () => {
    const join = async (): Promise<unknown> => {
      const meeting = { isOnlineMeeting: true, onlineMeetingProvider: 'teamsForBusiness' };
      const { body } = await act('create_me_events', { body: event(meeting) });
      const read = () => act('get_me_events_By_event_id', { path: { 'event-id': body.id } });
      const before = (await read()).body.onlineMeeting?.joinUrl ?? null;
      await sandbox.advanceClock(60_000);
      return [before, (await read()).body.onlineMeeting?.joinUrl ?? null];
    };
    expect(await join()).toEqual([expect.any(String), expect.any(String)]);
    await sandbox.microsoft.meetings({ pendingMs: 60_000, fail: false });
    expect(await join()).toEqual([null, expect.any(String)]);
    await sandbox.microsoft.meetings({ pendingMs: 0, fail: true });
    expect(await join()).toEqual([null, null]);
  });

  describe('subscriptions', () => {
    const subscribe = () => {
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?own=1`;
      return act('createSubscription', {
        body: {
          ...{ changeType: 'created,updated,deleted', resource: 'me/events', clientState: 'state-1' },
          ...{ notificationUrl: url, lifecycleNotificationUrl: url },
          expirationDateTime: new Date(Date.now() + 86_400_000).toISOString(),
        },
      });
    };
    const notified = (count: number) =>
      eventually(`${count} notifications`, () => {
        const bodies = received.flatMap(({ body }) => (body === null ? [] : [body]));
        return bodies.length >= count ? bodies : undefined;
      });

    it('begin with the consent of the receiver, and tell it of changes', async () => {
      const { status, body } = await subscribe();
      expect(status).toBe(201);
      expect(received[0]).toEqual({ validationToken: expect.stringMatching(/^Validation: /), body: null });
      await act('create_me_events', { body: event() });
      const [first] = await notified(1);
      expect(first.value[0]).toMatchObject({ subscriptionId: body.id, clientState: 'state-1' });
      expect(await sandbox.microsoft.subscriptions()).toMatchObject([{ id: body.id, email: IDA }]);
    });

    it.each<[string, (token: string) => string]>([
      ['says nothing', () => ''],
      ['says something else', (token) => `${token}.`],
      ['quotes', (token) => JSON.stringify(token)],
    ])('are refused when the receiver %s', async (_, response) => {
      consent = response;
      expect((await subscribe()).status).toBe(400);
      expect(await sandbox.microsoft.subscriptions()).toEqual([]);
    });

    it('tell of their lifecycle, and end with or without a word', async () => {
      const { id } = (await subscribe()).body;
      await sandbox.microsoft.sendLifecycle(id, 'reauthorizationRequired');
      expect((await notified(1))[0].value[0]).toMatchObject({ lifecycleEvent: 'reauthorizationRequired' });
      await sandbox.microsoft.dropSubscription(id, true);
      expect((await notified(2))[1].value[0]).toMatchObject({
        lifecycleEvent: 'subscriptionRemoved',
        subscriptionId: id,
      });
      expect(await sandbox.microsoft.subscriptions()).toEqual([]);
    });

    it('may lose or repeat their messages', async () => {
      await subscribe();
      await sandbox.microsoft.notifications({ mode: 'duplicate' });
      await act('create_me_events', { body: event() });
      const [one, two] = await notified(2);
      expect(two).toEqual(one);
    });
  });

  it('keeps the two providers apart, and tells of both together', async () => {
    await fetch(`${sandbox.googleUrl}/nothing`);
    await fetch(`${sandbox.microsoftUrl}/nothing/at/all`);
    expect(await sandbox.microsoft.violations()).toMatchObject([{ request: 'GET /nothing/at/all' }]);
    expect((await sandbox.violations()).map(({ request }) => request)).toEqual(['GET /nothing', 'GET /nothing/at/all']);
    await sandbox.microsoft.clearViolations();
    expect((await sandbox.violations()).map(({ request }) => request)).toEqual(['GET /nothing']);
    await sandbox.microsoft.clearRequests();
    expect(await sandbox.microsoft.requests()).toEqual([]);
  });

  it('points the service at itself', () => {
    const { microsoftUrl } = sandbox;
    expect(sandbox.env).toMatchObject({ MICROSOFT_GRAPH_URL: microsoftUrl, MICROSOFT_LOGIN_URL: microsoftUrl });
  });
});
