import { jest } from '@jest/globals';
import { EventOrderBy, NotFoundError, ProviderType, UnifiedCalendarApi } from '@apiroc/unified-calendar-api-node-sdk';
import { DomainError } from '#domain/system';
import { APPLICATION_ID, KEY, startHttpApp, type HttpApp } from '../../support/http-app.js';

let http: HttpApp;
let sdk: UnifiedCalendarApi;
beforeAll(async () => {
  http = await startHttpApp();
  sdk = new UnifiedCalendarApi({ apiKey: KEY, unifiedApiBaseUrl: http.base });
});
afterAll(() => http.close());

/** Arguments of the first call, as JSON: what the service was asked. */
function asked(work: jest.Mock): unknown[] {
  return JSON.parse(JSON.stringify(work.mock.calls[0])) as unknown[];
}

describe('the public Node client', () => {
  it('connects, lists, upserts and deletes accounts', async () => {
    const account = jest.fn(async () => ({ id: 'a' }));
    const list = jest.fn(async () => ({ data: [], nextPageToken: null }));
    Object.assign(http.fakes.accounts, { upsert: account, get: account, list });
    http.fakes.accounts.delete = async () => ({ message: 'Deleted.', ok: true, success: true });
    const apple = { email: 'ada@icloud.com', password: 'abcd-efgh' };
    await expect(sdk.basicAuth.connect(APPLICATION_ID, 'apple', apple)).resolves.toEqual({ id: 'a' });
    await sdk.endUserAccounts.upsert({ ...apple, providerType: ProviderType.APPLE, authorizedScopes: ['x'] });
    await expect(sdk.endUserAccounts.get('a')).resolves.toEqual({ id: 'a' });
    await sdk.endUserAccounts.list({ limit: 2, search: 'ada', statusFilter: 'active' });
    expect(asked(list)[1]).toEqual({ limit: 2, search: 'ada', statusFilter: 'active' });
    await expect(sdk.endUserAccounts.delete('a')).resolves.toMatchObject({ success: true });
  });

  it('creates an event with every field that its types allow', async () => {
    const create = jest.fn(async () => ({ result: { id: 'e' }, ignoredFields: [] }));
    http.fakes.events.create = create;
    const time = { dateTime: '2026-11-23T09:00:00', timeZone: 'Europe/Berlin' };
    const read = {
      id: 'mine',
      isRecurring: false,
      isException: false,
      isCancelled: false,
      webLink: '',
      organizer: { id: '1', name: 'Ada', email: 'ada@example.com', isSelf: true },
      creator: { email: 'ada@example.com' },
    };
    const written = {
      recurringEventId: 'x',
      originalStart: time,
      title: 'Planning',
      start: time,
      end: time,
      isAllDay: false,
      colorId: '7' as never,
      customColor: '#1a73e8',
      myResponseStatus: 'accepted' as const,
      visibility: 'private' as const,
      transparency: 'opaque' as const,
      eventType: 'default' as const,
      recurrence: ['RRULE:FREQ=DAILY'],
      conferenceData: { conferenceId: 'c', joinUrl: 'https://meet.example/c', conferenceDetails: { a: [1] } },
      reminders: { useDefault: false, isReminderOn: true, overrides: [{ method: 'popup', minutes: 10 }] },
      publicExtendedProperties: { a: 'b' },
      privateExtendedProperties: { c: 'd' },
      generateMeetingUrlProvider: 'zoom',
    };
    const attendee = { id: '7', name: 'Grace', email: 'grace@example.com', responseStatus: 'needsAction' as const };
    const response = await sdk.events.create('acc', 'cal/1', { ...read, ...written, attendees: [attendee] });
    expect(response).toEqual({ id: 'e' });
    const { id: _, ...named } = attendee;
    expect(asked(create).slice(1, 4)).toEqual(['acc', 'cal/1', { ...written, attendees: [named] }]);
  });

  it('lists events with dates, booleans and filters as it writes them', async () => {
    const list = jest.fn(async () => ({ data: [] }));
    http.fakes.events.list = list;
    await sdk.events.list('acc', 'cal', {
      startDateTime: new Date('2026-11-01T00:00:00Z'),
      endDateTime: '2026-12-01T00:00:00Z',
      metadataFilters: { project: 'apollo' },
      expandRecurrences: true,
      isAllDay: false,
      isCancelled: true,
      updatedAfter: new Date(0),
      orderBy: EventOrderBy.START_TIME,
      pageSize: 5,
    });
    expect(asked(list)[3]).toEqual({
      startDateTime: '2026-11-01T00:00:00.000Z',
      endDateTime: '2026-12-01T00:00:00Z',
      metadataFilters: '{"project":"apollo"}',
      expandRecurrences: true,
      isAllDay: false,
      isCancelled: true,
      updatedAfter: '1970-01-01T00:00:00.000Z',
      orderBy: 'startDateTime',
      pageSize: 5,
    });
  });

  it('answers invitations, asks for busy time, and understands errors', async () => {
    http.fakes.events.rsvp = async () => ({ result: { success: true }, ignoredFields: [] });
    http.fakes.freeBusy.query = async () => [{ calendarId: 'c', busySlots: [] }];
    http.fakes.events.get = () => Promise.reject(new DomainError('NotFound', 'There is no such event.'));
    await expect(sdk.events.rsvp('acc', 'cal', 'e', { responseStatus: 'accepted' })).resolves.toEqual({
      success: true,
    });
    const busy = { startDateTime: new Date(0), endDateTime: new Date(1e9), timeZone: 'UTC', calendarIds: ['c'] };
    await expect(sdk.freeBusy.get('acc', busy)).resolves.toEqual([{ calendarId: 'c', busySlots: [] }]);
    const missing = sdk.events.get('acc', 'cal', 'e');
    await expect(missing).rejects.toBeInstanceOf(NotFoundError);
    await expect(missing).rejects.toThrow('There is no such event.');
  });
});
