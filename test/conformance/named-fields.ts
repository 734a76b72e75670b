import type { Fixture } from './subject.js';

const NINE = {
  start: { dateTime: '2027-03-22T09:00:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2027-03-22T10:00:00', timeZone: 'Europe/Berlin' },
};
const DAILY = { ...NINE, recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] };
const WINDOW = { startDateTime: '2027-03-01T00:00:00Z', endDateTime: '2027-04-01T00:00:00Z' };
/** Nothing of these may be null in a body; null is none of the others. */
const NEVER_NULL = ['title', 'start', 'isAllDay', 'myResponseStatus'];
const OPTIONAL = [
  ...['description', 'end', 'publicExtendedProperties', 'privateExtendedProperties', 'recurrence', 'colorId'],
  ...['customColor', 'attendees', 'visibility', 'location', 'conferenceData', 'transparency', 'eventType', 'reminders'],
  'generateMeetingUrlProvider',
];

const ignoredBy = ({ headers }: { headers: Headers }) =>
  (headers.get('x-ignored-fields') ?? '').split(', ').filter((name) => name !== '');

/** Fields do what their name says: those that the interface does not call Read-Only, and null in all of them. */
export function namedFieldsConform(fixture: () => Fixture): void {
  describe('null', () => {
    it('is no name of a guest', async () => {
      const { create, call, calendarId } = fixture();
      const guest = { email: 'omar@example.test' };
      const made = await create({ title: 'Guests', ...NINE, attendees: [{ ...guest, name: null }] });
      const shown = made.attendees.find(({ email }: any) => email === guest.email);
      expect([undefined, guest.email]).toContain(shown.name);
      const path = `/${calendarId}/${made.id}`;
      const put = async (name: string | null) => {
        const response = await call('PUT', 'events', path, { body: { attendees: [{ ...guest, name }] } });
        expect(response).toMatchObject({ status: 200 });
        return response.body.attendees.find(({ email }: any) => email === guest.email).name;
      };
      expect(await put('Omar')).toBe('Omar');
      expect([undefined, guest.email]).toContain(await put(null));
    });

    it('clears every optional field, or is none', async () => {
      const { create, call, calendarId } = fixture();
      const nulls = Object.fromEntries(OPTIONAL.map((field) => [field, null]));
      const response = await call('POST', 'events', `/${calendarId}`, { body: { title: 'Nulls', ...NINE, ...nulls } });
      expect(response).toMatchObject({ status: 200 });
      const { id } = await create({ title: 'Nulls', ...NINE, description: 'Text', location: 'Here' });
      for (const field of OPTIONAL) {
        const { status, body } = await call('PUT', 'events', `/${calendarId}/${id}`, { body: { [field]: null } });
        expect({ field, status, body }).toMatchObject({ field, status: 200 });
      }
    });

    it.each(NEVER_NULL)('is refused for %s', async (field) => {
      const { create, call, calendarId } = fixture();
      const { id } = await create({ title: 'Nulls', ...NINE });
      const { status, body } = await call('PUT', 'events', `/${calendarId}/${id}`, { body: { [field]: null } });
      expect([status, body.code]).toEqual([400, 'ValidationFailed']);
    });
  });

  describe('isCancelled', () => {
    it('true cancels as DELETE does, and tells what else was not applied', async () => {
      const { create, call, calendarId } = fixture();
      const made = await create({ title: 'Off', ...NINE });
      const path = `/${calendarId}/${made.id}`;
      const stale = await call('PUT', 'events', path, {
        body: { isCancelled: true },
        headers: { 'if-match': 'stale' },
      });
      expect(stale.status).toBe(412);
      expect((await call('PUT', 'events', path, { body: { ...made, isCancelled: false } })).status).toBe(200);
      const { body: read } = await call('GET', 'events', path);
      const cancelled = await call('PUT', 'events', path, { body: { ...read, location: 'There', isCancelled: true } });
      expect(cancelled).toMatchObject({ status: 200, body: { ...read, isCancelled: true } });
      expect(ignoredBy(cancelled)).toContain('location');
      expect(ignoredBy(cancelled)).not.toContain('title');
      expect(ignoredBy(cancelled)).not.toContain('isCancelled');
      expect((await call('GET', 'events', path)).status).toBe(404);
      expect((await call('PUT', 'events', path, { body: { isCancelled: true } })).status).toBe(404);
    });

    it('true cancels one instance, and no other', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ title: 'Daily', ...DAILY });
      const path = `/${calendarId}/${series.id}_20270323T080000Z`;
      const { status, body } = await call('PUT', 'events', path, { body: { isCancelled: true } });
      expect([status, body.isCancelled, body.recurringEventId]).toEqual([200, true, series.id]);
      expect((await call('GET', 'events', path)).status).toBe(404);
      const left = await call('GET', 'events', `/${calendarId}/${series.id}/occurrences`, { query: WINDOW });
      expect(left.body.data.map(({ start }: any) => start.dateTime.slice(8, 10)).sort()).toEqual(['22', '24', '25']);
    });
  });

  describe('recurringEventId with originalStart', () => {
    const moved = {
      title: 'Moved',
      start: { dateTime: '2027-03-23T15:00:00', timeZone: 'Europe/Berlin' },
    };

    it.each([
      ['with its offset', { dateTime: '2027-03-23T09:00:00+01:00', timeZone: 'Europe/Berlin' }],
      ['in its zone', { dateTime: '2027-03-23T09:00:00', timeZone: 'Europe/Berlin' }],
      ['as an instant', { dateTime: '2027-03-23T08:00:00Z' }],
    ])('makes that exception of a series, named %s', async (_, originalStart) => {
      const { create, call, calendarId } = fixture();
      const series = await create({ title: 'Daily', ...DAILY });
      const made = await call('POST', 'events', `/${calendarId}`, {
        body: { ...moved, recurringEventId: series.id, originalStart },
      });
      expect(made).toMatchObject({
        status: 200,
        body: {
          id: `${series.id}_20270323T080000Z`,
          title: 'Moved',
          isException: true,
          recurringEventId: series.id,
          start: { dateTime: '2027-03-23T15:00:00+01:00' },
          end: { dateTime: '2027-03-23T16:00:00+01:00' },
        },
      });
      expect(ignoredBy(made)).toEqual([]);
      const { body } = await call('GET', 'events', `/${calendarId}/${series.id}/occurrences`, { query: WINDOW });
      expect(body.data.map(({ title }: any) => title).sort()).toEqual(['Daily', 'Daily', 'Daily', 'Moved']);
    });

    it('makes an all-day exception', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ title: 'Days', start: { date: '2027-03-22' }, recurrence: DAILY.recurrence });
      const body = { title: 'Day', start: { date: '2027-03-23' }, end: { date: '2027-03-24' } };
      const made = await call('POST', 'events', `/${calendarId}`, {
        body: { ...body, recurringEventId: series.id, originalStart: { date: '2027-03-23' } },
      });
      expect(made.body).toMatchObject({ id: `${series.id}_20270323`, title: 'Day', isException: true });
    });

    it('makes a single event of what names no instance of this calendar, and says so', async () => {
      const { create, call, calendarId, subject } = fixture();
      const series = await create({ title: 'Daily', ...DAILY });
      const other = await call('POST', 'calendars', '', { body: { name: `Copies ${Date.now()}` } });
      const originalStart = { dateTime: '2027-03-23T09:00:00+01:00', timeZone: 'Europe/Berlin' };
      const away = { dateTime: '2027-03-23T09:30:00+01:00', timeZone: 'Europe/Berlin' };
      const cases: [string, Record<string, unknown>][] = [
        [other.body.id, { recurringEventId: series.id, originalStart }],
        [calendarId, { recurringEventId: 'from-elsewhere', originalStart }],
        [calendarId, { recurringEventId: series.id, originalStart: away }],
        [calendarId, { recurringEventId: series.id }],
        [calendarId, { originalStart }],
      ];
      for (const [into, names] of cases) {
        const made = await call('POST', 'events', `/${into}`, { body: { ...moved, ...names } });
        expect({ on: subject.name, names, status: made.status, body: made.body }).toMatchObject({
          status: 200,
          body: { title: 'Moved', isException: false },
        });
        expect(made.body).not.toHaveProperty('recurringEventId');
        expect(ignoredBy(made).sort()).toEqual(Object.keys(names).sort());
      }
      const { body } = await call('GET', 'events', `/${calendarId}/${series.id}/occurrences`, { query: WINDOW });
      expect(body.data.map(({ title }: any) => title)).toEqual(['Daily', 'Daily', 'Daily', 'Daily']);
    });

    it('is refused where it is no time', async () => {
      const { call, calendarId } = fixture();
      const { status, body } = await call('POST', 'events', `/${calendarId}`, {
        body: { ...moved, recurringEventId: 'x', originalStart: { dateTime: 'tomorrow' } },
      });
      expect([status, body.details[0].path]).toEqual([400, 'originalStart.dateTime']);
    });
  });

  it('of the provider are ignored, and named', async () => {
    const { create, call, calendarId } = fixture();
    const made = await create({ title: 'Named', ...NINE });
    const fields = {
      organizer: { email: 'x@example.test', isSelf: false },
      creator: { email: 'x@example.test' },
      webLink: 'https://example.test',
      isRecurring: true,
      isException: true,
    };
    const response = await call('PUT', 'events', `/${calendarId}/${made.id}`, { body: { title: 'Named', ...fields } });
    expect([response.status, ignoredBy(response).sort()]).toEqual([200, Object.keys(fields).sort()]);
    expect(response.body).toMatchObject({ isRecurring: false, isException: false });
    expect(response.body.webLink).toBe(made.webLink);
  });
}
