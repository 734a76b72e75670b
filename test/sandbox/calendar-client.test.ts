import { auth, calendar, type calendar_v3 } from '@googleapis/calendar';
import { allMethods, findMethod, schemaNamed } from '../../apps/sandbox/src/google/api/discovery.js';
import { findProblem } from '../../apps/sandbox/src/google/api/body.js';
import { FULL_SCOPES, startSandbox, type Sandbox } from '../support/sandbox.js';

const CLIENT = { clientId: 'cid-1', clientSecret: 'secret-1', redirectUris: ['http://127.0.0.1:9/callback'] };
const ADA = 'ada@example.com';
const GRACE = 'grace@example.com';
/** What the sandbox refuses because no calendar service of ours needs it. */
const NOT_OFFERED = [
  ...['acl.list', 'acl.get', 'acl.patch', 'acl.update', 'acl.delete', 'acl.watch'],
  ...['calendarList.update', 'calendarList.watch'],
  ...['calendars.update', 'calendars.clear', 'calendars.transferOwnership'],
  ...['events.update', 'events.move', 'events.quickAdd'],
  ...['settings.list', 'settings.get', 'settings.watch'],
].map((name) => `calendar.${name}`);

describe("Google's own client at the sandbox", () => {
  let sandbox: Sandbox;
  let api: calendar_v3.Calendar;

  beforeAll(async () => {
    sandbox = await startSandbox();
    await sandbox.addClient(CLIENT);
    await sandbox.addUser({ email: ADA, timeZone: 'Europe/London' });
    await sandbox.addUser({ email: GRACE });
    const client = new auth.OAuth2({ clientId: CLIENT.clientId, clientSecret: CLIENT.clientSecret });
    const { accessToken } = await sandbox.grant(ADA, CLIENT.clientId, FULL_SCOPES);
    client.setCredentials({ access_token: accessToken, expiry_date: Date.now() + 3_600_000 });
    api = calendar({ version: 'v3', auth: client, rootUrl: `${sandbox.googleUrl}/`, retry: false });
  });

  afterAll(async () => {
    await sandbox?.stop();
  });

  const seen = new Set<string>();
  /** The answer, after it was held against the schema of its method. */
  const fitting = async <T>(methodId: string, call: Promise<{ status: number; data: T }>): Promise<T> => {
    const { data } = await call;
    seen.add(methodId);
    const response = findMethod(methodId)?.response;
    if (response !== undefined) {
      const judging = { at: '', methodId: null, allowsNull: false };
      expect({ methodId, problem: findProblem(schemaNamed(response.$ref), data, judging) }).toEqual({
        methodId,
        problem: null,
      });
    }
    return data;
  };

  it('reads and writes calendars', async () => {
    const list = await fitting('calendar.calendarList.list', api.calendarList.list({ showHidden: true }));
    expect(list.items).toContainEqual(expect.objectContaining({ id: ADA, primary: true, accessRole: 'owner' }));
    const made = await fitting(
      'calendar.calendars.insert',
      api.calendars.insert({ requestBody: { summary: 'Boat', timeZone: 'Europe/Lisbon' } }),
    );
    const calendarId = made.id ?? '';
    await fitting('calendar.calendars.get', api.calendars.get({ calendarId }));
    await fitting('calendar.calendars.patch', api.calendars.patch({ calendarId, requestBody: { location: 'Sea' } }));
    const colours = { backgroundColor: '#112233', foregroundColor: '#ffffff' };
    const coloured = await fitting(
      'calendar.calendarList.patch',
      api.calendarList.patch({ calendarId, colorRgbFormat: true, requestBody: colours }),
    );
    expect(coloured).toMatchObject({ ...colours, summary: 'Boat' });
    await fitting('calendar.calendarList.get', api.calendarList.get({ calendarId }));
    await fitting(
      'calendar.acl.insert',
      api.acl.insert({ calendarId, requestBody: { role: 'reader', scope: { type: 'user', value: GRACE } } }),
    );
    await fitting('calendar.calendarList.delete', api.calendarList.delete({ calendarId }));
    await fitting('calendar.calendarList.insert', api.calendarList.insert({ requestBody: { id: calendarId } }));
    await fitting('calendar.calendars.delete', api.calendars.delete({ calendarId }));
    await expect(api.calendars.get({ calendarId })).rejects.toMatchObject({ status: 404 });
    await sandbox.expectNoViolations();
  });

  it('reads and writes events', async () => {
    const calendarId = 'primary';
    const times = {
      start: { dateTime: '2026-12-07T09:00:00', timeZone: 'Europe/London' },
      end: { dateTime: '2026-12-07T10:00:00', timeZone: 'Europe/London' },
    };
    const series = await fitting(
      'calendar.events.insert',
      api.events.insert({
        calendarId,
        conferenceDataVersion: 1,
        sendUpdates: 'all',
        requestBody: {
          ...{ id: 'series0001', summary: 'Review & “more”', recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'], ...times },
          attendees: [{ email: ADA, responseStatus: 'accepted' }, { email: GRACE }],
          extendedProperties: { private: { crmId: '77' } },
          conferenceData: {
            createRequest: { requestId: 'request-1', conferenceSolutionKey: { type: 'hangoutsMeet' } },
          },
        },
      }),
    );
    expect(series).toMatchObject({ id: 'series0001', summary: 'Review & “more”' });
    const eventId = 'series0001';
    await fitting(
      'calendar.events.patch',
      api.events.patch(
        { calendarId, eventId, requestBody: { location: 'Room 4', description: null } },
        { headers: { 'If-Match': series.etag ?? '' } },
      ),
    );
    await expect(
      api.events.patch({ calendarId, eventId, requestBody: {} }, { headers: { 'If-Match': series.etag ?? '' } }),
    ).rejects.toMatchObject({ status: 412 });
    await fitting('calendar.events.get', api.events.get({ calendarId, eventId, timeZone: 'Asia/Tokyo' }));
    const instances = await fitting('calendar.events.instances', api.events.instances({ calendarId, eventId }));
    expect(instances.items).toHaveLength(3);
    const window = { timeMin: '2026-12-01T00:00:00Z', timeMax: '2027-01-01T00:00:00+01:00' };
    const list = await fitting(
      'calendar.events.list',
      api.events.list({
        ...{ calendarId, singleEvents: true, orderBy: 'startTime', maxResults: 2, ...window },
        eventTypes: ['default', 'outOfOffice'],
      }),
    );
    expect(list).toMatchObject({ nextPageToken: expect.any(String), items: [{}, {}] });
    await fitting(
      'calendar.events.import',
      api.events.import({ calendarId, requestBody: { iCalUID: 'imported@example.org', ...times } }),
    );
    const busy = await fitting(
      'calendar.freebusy.query',
      api.freebusy.query({ requestBody: { ...window, items: [{ id: 'primary' }, { id: 'nobody@example.com' }] } }),
    );
    expect(busy.calendars?.primary?.busy).not.toEqual([]);
    expect(busy.calendars?.['nobody@example.com']?.errors).toEqual([{ domain: 'global', reason: 'notFound' }]);
    await fitting('calendar.events.delete', api.events.delete({ calendarId, eventId }));
    await expect(api.events.delete({ calendarId, eventId })).rejects.toMatchObject({ status: 410 });
    await sandbox.expectNoViolations();
  });

  it('watches, and reads colours', async () => {
    const address = 'http://127.0.0.1:9/hook';
    const events = await fitting(
      'calendar.events.watch',
      api.events.watch({ calendarId: ADA, requestBody: { id: 'channel-1', type: 'web_hook', address, token: 't' } }),
    );
    expect((await sandbox.channels()).map(({ id, calendarId, email }) => ({ id, calendarId, email }))).toEqual([
      { id: 'channel-1', calendarId: ADA, email: ADA },
    ]);
    await fitting(
      'calendar.channels.stop',
      api.channels.stop({ requestBody: { id: 'channel-1', resourceId: events.resourceId ?? '' } }),
    );
    expect(await sandbox.channels()).toEqual([]);
    await fitting('calendar.colors.get', api.colors.get());
    await sandbox.expectNoViolations();
  });

  it('was seen to do everything that the sandbox offers', () => {
    expect([...seen, ...NOT_OFFERED].sort()).toEqual([...allMethods()].map(({ id }) => id).sort());
  });
});
