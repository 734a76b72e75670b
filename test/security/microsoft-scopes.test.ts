import { startMicrosoftService, type MicrosoftService } from '../support/microsoft-service.js';

const SIGN_IN = ['openid', 'profile', 'email', 'offline_access'];
const READER = 'ida@fabrikam.example';
const EVENT = { title: 'Review', start: { dateTime: '2033-01-15T09:00:00Z' } };
const RANGE = { startDateTime: '2033-01-15T00:00:00Z', endDateTime: '2033-01-16T00:00:00Z', timeZone: 'UTC' };

let microsoft: MicrosoftService;

beforeAll(async () => {
  microsoft = await startMicrosoftService();
});

afterAll(() => microsoft?.stop());

describe('a MICROSOFT account that may only read', () => {
  let accountId: string;
  let events: string;
  /** An event of the account's, made at Microsoft. */
  let kept: string;

  beforeAll(async () => {
    const { status, body } = await microsoft.connect(READER, [...SIGN_IN, 'Calendars.Read']);
    expect(status).toBe(200);
    accountId = body.id;
    events = `/v1/events/${accountId}/primary`;
    const at = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
    const made = await microsoft.sandbox.microsoft.act({
      ...{ email: READER, methodId: 'create_me_events' },
      body: { subject: 'Kept', start: at('2033-01-15T09:00:00'), end: at('2033-01-15T10:00:00') },
    });
    expect(made.status).toBe(201);
    const listed = await microsoft.service.call('GET', events, { query: { search: 'Kept' } });
    kept = listed.body.data[0].id;
  });

  it('says so', async () => {
    const { body } = await microsoft.service.call('GET', `/v1/endUserAccounts/${accountId}`);
    expect(body.authorizedScopes).toContain('calendars.read');
    expect(body.authorizedScopes).not.toContain('calendars.readwrite');
  });

  it('reads calendars, events and busy times, without being asked for its mailbox or profile', async () => {
    const { call } = microsoft.service;
    expect((await call('GET', `/v1/calendars/${accountId}`)).status).toBe(200);
    expect((await call('GET', `${events}/${kept}`)).body).toMatchObject({ title: 'Kept' });
    const busy = await call('POST', `/v1/freeBusy/${accountId}`, { body: { ...RANGE, calendarIds: ['primary'] } });
    expect(busy.body).toEqual([{ calendarId: 'primary', busySlots: [expect.anything()] }]);
  });

  it.each<[string, string, string, unknown, string]>([
    ['a new event', 'POST', '', EVENT, 'create, change and delete events'],
    ['a change of an event', 'PUT', '/{id}', { title: 'Other' }, 'create, change and delete events'],
    ['the end of an event', 'DELETE', '/{id}', undefined, 'create, change and delete events'],
  ])('is refused %s, and told which permission is missing', async (_, method, path, body, permission) => {
    const response = await microsoft.service.call(method, events + path.replace('{id}', kept), { body });
    expect(response.status).toBe(403);
    expect(response.body).toMatchObject({ code: 'Forbidden', message: expect.stringContaining(permission) });
    expect((await microsoft.service.call('GET', `${events}/${kept}`)).body).toMatchObject({ title: 'Kept' });
  });

  it('is refused a new calendar', async () => {
    const response = await microsoft.service.call('POST', `/v1/calendars/${accountId}`, { body: { name: 'New' } });
    expect(response.status).toBe(403);
    expect(response.body).toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('create, change and delete calendars'),
    });
  });

  it('stays ACTIVE', async () => {
    const { body } = await microsoft.service.call('GET', `/v1/endUserAccounts/${accountId}`);
    expect(body.status).toBe('ACTIVE');
  });
});

it.each([
  ['no calendars', [...SIGN_IN, 'User.Read']],
  ['calendars without what is in their events', [...SIGN_IN, 'User.Read', 'Calendars.ReadBasic']],
  ['no proof of whose it is', ['offline_access', 'User.Read', 'Calendars.ReadWrite']],
])('T13 a MICROSOFT grant with %s connects nobody', async (_, scopes) => {
  const { status, body } = await microsoft.connect('omar@fabrikam.example', scopes);
  expect([status, body.code]).toEqual([400, 'CredentialsRejected']);
  expect((await microsoft.service.call('GET', '/v1/endUserAccounts', { query: { search: 'omar' } })).body.data).toEqual(
    [],
  );
});
