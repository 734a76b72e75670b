import { startGoogleService, type GoogleService } from '../support/google-service.js';

const PREFIX = 'https://www.googleapis.com/auth/';
const ADA = 'ada@example.com';
const EVENT = { title: 'Review', start: { dateTime: '2033-01-15T09:00:00Z' } };
const RANGE = { startDateTime: '2033-01-15T00:00:00Z', endDateTime: '2033-01-16T00:00:00Z', timeZone: 'UTC' };

let google: GoogleService;
let accountId: string;
let events: string;

beforeAll(async () => {
  google = await startGoogleService();
  const connected = await google.connect(ADA, ['openid', 'email', `${PREFIX}calendar.readonly`]);
  expect(connected.status).toBe(200);
  accountId = connected.body.id;
  events = `/v1/events/${accountId}/${ADA}`;
});

afterAll(() => google?.stop());

describe('an account that may only read', () => {
  it('says so', async () => {
    const { body } = await google.service.call('GET', `/v1/endUserAccounts/${accountId}`);
    expect(body.authorizedScopes).toContain(`${PREFIX}calendar.readonly`);
    expect(body.authorizedScopes).not.toContain(`${PREFIX}calendar`);
  });

  it('reads calendars, events and busy times', async () => {
    const { call } = google.service;
    const made = await google.sandbox.act({
      ...{ email: ADA, methodId: 'calendar.events.insert', path: { calendarId: ADA } },
      body: {
        summary: 'Review',
        start: { dateTime: '2033-01-15T09:00:00Z' },
        end: { dateTime: '2033-01-15T10:00:00Z' },
      },
    });
    expect((await call('GET', `/v1/calendars/${accountId}`)).status).toBe(200);
    expect((await call('GET', events)).status).toBe(200);
    expect((await call('GET', `${events}/${made.body.id}`)).body).toMatchObject({ title: 'Review' });
    const busy = await call('POST', `/v1/freeBusy/${accountId}`, { body: { ...RANGE, calendarIds: [ADA] } });
    expect(busy.status).toBe(200);
  });

  it.each<[string, string, string, unknown, string]>([
    ['creating an event', 'POST', '', EVENT, 'create, change and delete events'],
    ['changing an event', 'PUT', '/{id}', { title: 'Other' }, 'create, change and delete events'],
    ['deleting an event', 'DELETE', '/{id}', undefined, 'create, change and delete events'],
  ])('is refused %s, and told which permission is missing', async (_, method, path, body, permission) => {
    const made = await google.sandbox.act({
      ...{ email: ADA, methodId: 'calendar.events.insert', path: { calendarId: ADA } },
      body: {
        summary: 'Kept',
        start: { dateTime: '2033-02-15T09:00:00Z' },
        end: { dateTime: '2033-02-15T10:00:00Z' },
      },
    });
    const response = await google.service.call(method, events + path.replace('{id}', made.body.id), { body });
    expect(response.status).toBe(403);
    expect(response.body).toMatchObject({
      code: 'Forbidden',
      message: `The account has not granted the permission to ${permission}.`,
    });
    const kept = await google.service.call('GET', `${events}/${made.body.id}`);
    expect(kept.body).toMatchObject({ title: 'Kept' });
  });

  it('is refused a new calendar', async () => {
    const response = await google.service.call('POST', `/v1/calendars/${accountId}`, { body: { name: 'New' } });
    expect(response.status).toBe(403);
    expect(response.body).toMatchObject({
      code: 'Forbidden',
      message: 'The account has not granted the permission to create, change and delete calendars.',
    });
  });

  it('stays ACTIVE', async () => {
    const { body } = await google.service.call('GET', `/v1/endUserAccounts/${accountId}`);
    expect(body.status).toBe('ACTIVE');
    await google.sandbox.expectNoViolations();
  });
});

it('an account that did not grant its busy times is refused them, and keeps its events', async () => {
  const scopes = ['calendarlist.readonly', 'events.readonly'].map((name) => `${PREFIX}calendar.${name}`);
  const { status, body } = await google.connect('grace@example.com', ['openid', 'email', ...scopes]);
  expect(status).toBe(200);
  const { call } = google.service;
  expect((await call('GET', `/v1/events/${body.id}/grace@example.com`)).status).toBe(200);
  const busy = await call('POST', `/v1/freeBusy/${body.id}`, {
    body: { ...RANGE, calendarIds: ['grace@example.com'] },
  });
  expect(busy.status).toBe(403);
  expect(busy.body).toMatchObject({
    code: 'Forbidden',
    message: 'The account has not granted the permission to see when the calendars are busy.',
  });
});
