import { createDAVClient } from 'tsdav';
import { object } from '../../support/opened-calendar.js';
import { startRadicale } from '../../support/radicale.js';
import { joinService, type Service } from '../../support/service.js';
import type { CalDavServer } from '../../support/caldav-server.js';

/** What the service writes is read by a CalDAV client that nobody here wrote, and the other way round. */
describe('an independent CalDAV client', () => {
  let server: CalDavServer;
  let service: Service;
  let accountId: string;
  let calendarId: string;

  beforeAll(async () => {
    server = await startRadicale();
    service = await joinService();
    const connected = await service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, {
      body: { serverUrl: server.url, email: server.username, password: server.password },
    });
    accountId = connected.body.id;
    const made = await service.call('POST', `/v1/calendars/${accountId}`, {
      body: { name: 'Shared ground', timeZone: 'Europe/Berlin' },
    });
    calendarId = made.body.id;
  });

  afterAll(async () => {
    await service?.stop();
    await server?.stop();
  });

  const openClient = () =>
    createDAVClient({
      serverUrl: server.url,
      credentials: { username: server.username, password: server.password },
      authMethod: 'Basic',
      defaultAccountType: 'caldav',
    });

  it('finds the calendar and reads the event, zone definition and all', async () => {
    await service.call('POST', `/v1/events/${accountId}/${calendarId}`, {
      body: {
        title: 'Grüße, Welt; \\ "x"',
        start: { dateTime: '2027-03-22T09:00:00', timeZone: 'Europe/Berlin' },
        end: { dateTime: '2027-03-22T10:00:00', timeZone: 'Europe/Berlin' },
        recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'],
      },
    });
    const client = await openClient();
    const calendar = (await client.fetchCalendars()).find(({ displayName }) => displayName === 'Shared ground');
    expect(calendar).toBeDefined();
    const [object] = await client.fetchCalendarObjects({ calendar: calendar! });
    expect(object!.data).toMatch(/^BEGIN:VTIMEZONE\r?\nTZID:Europe\/Berlin\r?$/m);
    expect(object!.data).toMatch(/^DTSTART;TZID=Europe\/Berlin:20270322T090000\r?$/m);
    expect(object!.data).toMatch(/^RRULE:FREQ=WEEKLY;COUNT=3\r?$/m);
    expect(object!.data).toContain('SUMMARY:Grüße\\, Welt\\; \\\\ "x"');
  });

  it('writes an event that the service reads, changes and tells in a sync', async () => {
    const before = await service.call('GET', `/v1/events/${accountId}/${calendarId}`);
    const client = await openClient();
    const calendar = (await client.fetchCalendars()).find(({ displayName }) => displayName === 'Shared ground')!;
    const lines = [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Example//Independent//EN',
      'BEGIN:VEVENT',
      'UID:independent-1',
      'DTSTAMP:20260101T000000Z',
      'DTSTART;VALUE=DATE:20270401',
      'SUMMARY:From elsewhere',
      'X-INDEPENDENT;X-P=1:kept',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ];
    await client.createCalendarObject({ calendar, filename: 'a name of its own.ics', iCalString: lines.join('\r\n') });
    const changes = await service.call('GET', `/v1/events/${accountId}/${calendarId}`, {
      query: { syncToken: before.body.nextSyncToken },
    });
    expect(changes.body.data).toMatchObject([
      { title: 'From elsewhere', isAllDay: true, start: { date: '2027-04-01' }, end: { date: '2027-04-02' } },
    ]);
    const path = `/v1/events/${accountId}/${calendarId}/${changes.body.data[0].id}`;
    expect((await service.call('PUT', path, { body: { title: 'Renamed' } })).status).toBe(200);
    const objects = await client.fetchCalendarObjects({ calendar });
    const { data } = objects.find((object) => String(object.data).includes('independent-1'))!;
    expect(data).toMatch(/^SUMMARY:Renamed\r?$/m);
    expect(data).toMatch(/^X-INDEPENDENT;X-P=1:kept\r?$/m);
  });

  it('stores an event that is too large to be read: the calendar is named, and never read as free', async () => {
    const made = await service.call('POST', `/v1/calendars/${accountId}`, { body: { name: 'Heavy' } });
    const client = await openClient();
    const calendar = (await client.fetchCalendars()).find(({ displayName }) => displayName === 'Heavy')!;
    const iCalString = object('heavy', 'Heavy', [`DESCRIPTION:${'x'.repeat(1_200_000)}`]);
    await client.createCalendarObject({ calendar, filename: 'heavy.ics', iCalString });
    const ask = (more: object) =>
      service.call('POST', `/v1/freeBusy/${accountId}`, {
        body: {
          startDateTime: '2027-06-01T00:00:00Z',
          endDateTime: '2027-07-01T00:00:00Z',
          timeZone: 'UTC',
          calendarIds: [calendarId, made.body.id],
          ...more,
        },
      });
    const heavyId = Buffer.from('heavy.ics').toString('base64url');
    const message = `Calendar ${made.body.id}: the event ${heavyId} in it cannot be read, so its busy time is not known.`;
    const whole = await ask({});
    expect(whole).toMatchObject({ status: 502, body: { code: 'ProviderUnavailable', message } });
    const partial = await ask({ allowPartial: true });
    expect(partial).toMatchObject({
      status: 200,
      body: [
        { calendarId, busySlots: [] },
        { calendarId: made.body.id, error: { code: 'ProviderUnavailable', message } },
      ],
    });
    expect(partial.body[1]).not.toHaveProperty('busySlots');
  });
});
