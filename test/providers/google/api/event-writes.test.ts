import { ME, OTHER, openGoogleAccount, type GoogleAccount } from './google-account.js';
import { at, hour } from '../../../support/berlin-times.js';

describe('writing events at Google', () => {
  let a: GoogleAccount;
  let calendarId: string;

  beforeAll(async () => {
    a = await openGoogleAccount();
    calendarId = await a.newCalendar();
  });

  afterAll(() => a.stop());

  /** As Google itself has an event of the primary calendar. */
  const held = (eventId: string) => a.google('calendar.events.get', { calendarId: ME, eventId });
  const get = async (eventId: string) => (await a.events('GET', ME, `/${eventId}`)).body;
  /** An event of the other user that the account is invited to. */
  const invitation = (more: object = {}) =>
    a.google(
      'calendar.events.insert',
      { calendarId: OTHER },
      {
        summary: 'Theirs',
        description: 'Of theirs',
        location: 'There',
        start: at('2027-05-12T11:00:00'),
        end: at('2027-05-12T12:00:00'),
        attendees: [{ email: ME }, { email: OTHER }],
        extendedProperties: { shared: { k: 'v' } },
        ...more,
      },
      OTHER,
    );

  describe('guests', () => {
    it('are told apart by address, whatever the case, and keep name and answer', async () => {
      const event = await a.create(ME, {
        title: 'Doubles',
        ...hour('2027-05-10'),
        attendees: [{ email: OTHER }, { email: OTHER.toUpperCase() }, { email: 'x@example.net', name: 'X' }],
      });
      expect(event.attendees).toHaveLength(2);
      await a.google(
        'calendar.events.patch',
        { calendarId: OTHER, eventId: event.id },
        { attendeesOmitted: true, attendees: [{ email: OTHER, responseStatus: 'accepted' }] },
        OTHER,
      );
      const addresses = [OTHER.toUpperCase(), 'X@Example.NET', 'y@example.net'];
      const { attendees } = await a.change(ME, event.id, { attendees: addresses.map((email) => ({ email })) });
      const known = attendees.map(({ email, name, responseStatus }: any) => [
        email.toLowerCase(),
        name,
        responseStatus,
      ]);
      expect(known.sort()).toEqual([
        [OTHER, undefined, 'accepted'],
        ['x@example.net', 'X', 'needsAction'],
        ['y@example.net', undefined, 'needsAction'],
      ]);
    });

    it('may be more than two hundred', async () => {
      const attendees = Array.from({ length: 250 }, (_, index) => ({ email: `g${index}@example.net` }));
      const event = await a.create(ME, { title: 'Many', ...hour('2027-05-11'), attendees });
      expect(event.attendees).toHaveLength(250);
      const fewer = await a.change(ME, event.id, { attendees: attendees.slice(0, 201) });
      expect(fewer.attendees).toHaveLength(201);
    });
  });

  describe('a guest', () => {
    it('may send back the event as it was read, with what is the guest’s own changed', async () => {
      const { id } = await invitation();
      const own = {
        colorId: '3',
        transparency: 'transparent',
        reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 7 }] },
        privateExtendedProperties: { mine: '1' },
      };
      expect(await a.change(ME, id, { ...(await get(id)), ...own })).toMatchObject({ title: 'Theirs', ...own });
      const { status, body } = await a.events('PUT', ME, `/${id}`, { body: { title: 'Mine' } });
      expect([status, body.code]).toEqual([403, 'Forbidden']);
    });

    it('answers for one instance, and for the series', async () => {
      const { id } = await invitation({ recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      const response = async (eventId: string, responseStatus: string) =>
        (await a.events('POST', ME, `/${eventId}/rsvp`, { body: { responseStatus } })).body;
      expect(await response(id, 'accepted')).toEqual({ success: true });
      expect(await response(`${id}_20270513T090000Z`, 'declined')).toEqual({ success: true });
      expect(await response(`${id}_20270514`, 'tentative')).toEqual({ success: true });
      const responses = await Promise.all(['20270512', '20270513', '20270514'].map((date) => get(`${id}_${date}`)));
      expect(responses.map(({ myResponseStatus }) => myResponseStatus)).toEqual(['accepted', 'declined', 'tentative']);
    });

    it('changes and deletes the own copy of an instance, and cuts nobody’s series', async () => {
      const { id } = await invitation({ recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] });
      const instance = `${id}_20270513T090000Z`;
      expect(await a.change(ME, instance, { colorId: '5' })).toMatchObject({ id: instance, colorId: '5' });
      for (const method of ['PUT', 'DELETE']) {
        const options = { query: { scope: 'following' }, ...(method === 'PUT' && { body: { colorId: '6' } }) };
        const { status, body } = await a.events(method, ME, `/${instance}`, options);
        expect([status, body.code]).toEqual([400, 'ValidationFailed']);
      }
      expect((await a.events('DELETE', ME, `/${instance}`)).status).toBe(200);
      expect((await a.events('GET', ME, `/${instance}`)).status).toBe(404);
      const all = await a.change(
        ME,
        `${id}_20270514T090000Z`,
        { colorId: '7', myResponseStatus: 'tentative' },
        { scope: 'all' },
      );
      expect(all).toMatchObject({ id, colorId: '7', myResponseStatus: 'tentative' });
    });
  });

  describe('fields', () => {
    it('are cleared by null, every one that can be', async () => {
      const { id, conferenceData } = await a.create(ME, {
        title: 'Full',
        ...hour('2027-05-17'),
        description: 'd',
        location: 'l',
        colorId: '4',
        customColor: '#123456',
        visibility: 'private',
        transparency: 'transparent',
        attendees: [{ email: OTHER }],
        recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
        publicExtendedProperties: { a: '1' },
        privateExtendedProperties: { b: '2' },
        reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
        generateMeetingUrlProvider: 'hangoutsMeet',
      });
      expect(conferenceData.joinUrl).toMatch(/^https/);
      await a.change(ME, id, { end: at('2027-05-17T14:00:00') });
      const cleared = await a.change(ME, id, {
        description: null,
        end: null,
        location: null,
        colorId: null,
        customColor: null,
        visibility: null,
        transparency: null,
        attendees: null,
        recurrence: null,
        publicExtendedProperties: null,
        privateExtendedProperties: null,
        reminders: null,
        conferenceData: null,
        eventType: null,
        generateMeetingUrlProvider: null,
      });
      expect(cleared).toMatchObject({ visibility: 'default', transparency: 'opaque', isRecurring: false });
      const { summary, start, end, ...rest } = await held(id);
      expect([summary, start.dateTime, end.dateTime]).toEqual([
        'Full',
        '2027-05-17T10:00:00+02:00',
        '2027-05-17T11:00:00+02:00',
      ]);
      const nobodyWrites = ['id', 'kind', 'etag', 'status', 'htmlLink', 'created', 'updated', 'creator', 'organizer'];
      const left = Object.keys(rest).filter((field) => !nobodyWrites.includes(field));
      expect(left.sort()).toEqual(['eventType', 'iCalUID', 'reminders', 'sequence']);
    });

    it('come back as they were read without being written, or named as ignored', async () => {
      const { id } = await a.create(ME, {
        title: 'Echo',
        ...hour('2027-05-18'),
        description: 'd',
        location: 'l',
        customColor: '#abcdef',
        visibility: 'private',
        attendees: [{ email: OTHER }],
        recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3', 'EXDATE;TZID=Europe/Berlin:20270525T100000'],
        publicExtendedProperties: { a: '1' },
        privateExtendedProperties: { b: '1' },
        reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
        generateMeetingUrlProvider: 'hangoutsMeet',
      });
      for (const eventId of [id, `${id}_20270601T080000Z`]) {
        const before = await held(eventId);
        const { status, headers } = await a.events('PUT', ME, `/${eventId}`, { body: await get(eventId) });
        expect(status).toBe(200);
        const ignored = headers.get('x-ignored-fields')?.split(', ');
        for (const field of ['conferenceData', 'myResponseStatus', 'attendees.responseStatus']) {
          expect(ignored).not.toContain(field);
        }
        expect(await held(eventId)).toEqual(before);
      }
    });

    it('that nobody can write are named', async () => {
      const { id } = await a.create(ME, { title: 'Named', ...hour('2027-06-09'), attendees: [{ email: OTHER }] });
      const { status, headers } = await a.events('PUT', ME, `/${id}`, {
        body: {
          attendees: [{ email: OTHER, responseStatus: 'accepted' }],
          myResponseStatus: 'declined',
          iCalUid: 'x',
        },
      });
      expect(status).toBe(200);
      expect(headers.get('x-ignored-fields')?.split(', ').sort()).toEqual([
        'attendees.responseStatus',
        'iCalUid',
        'myResponseStatus',
      ]);
    });

    it('of properties are replaced as a whole, hold any text, and are found by it', async () => {
      const publicExtendedProperties = { 'ключ=a&b ü': 'a=b&c=ü,;"', other: '' };
      const privateExtendedProperties = { key: 'x' };
      const event = await a.create(calendarId, {
        title: 'Properties',
        ...hour('2027-05-19'),
        publicExtendedProperties,
        privateExtendedProperties,
      });
      expect(event.publicExtendedProperties).toEqual(publicExtendedProperties);
      const isFound = async (filter: object) =>
        (await a.list(calendarId, { metadataFilters: JSON.stringify(filter) })).items.length === 1;
      expect(await isFound(publicExtendedProperties)).toBe(true);
      expect(await isFound({ public: publicExtendedProperties, private: privateExtendedProperties })).toBe(true);
      expect(await isFound({ private: { other: '' } })).toBe(false);
      expect(await isFound({ toString: 'x' })).toBe(false);
      const replaced = await a.change(calendarId, event.id, { publicExtendedProperties: { only: 'ö' } });
      expect(replaced).toMatchObject({ privateExtendedProperties });
      expect(replaced.publicExtendedProperties).toEqual({ only: 'ö' });
      const emptied = await a.change(calendarId, event.id, { publicExtendedProperties: {} });
      expect(emptied.publicExtendedProperties).toEqual({});
    });
  });

  describe('times', () => {
    it.each([
      ['that the clock leaves out', '2027-03-28T02:30:00', '2027-03-28T03:30:00+02:00'],
      ['that comes twice, the first', '2027-10-31T02:30:00+02:00', '2027-10-31T02:30:00+02:00'],
      ['that comes twice, the second', '2027-10-31T02:30:00+01:00', '2027-10-31T02:30:00+01:00'],
    ])('show one %s', async (_name, written, shown) => {
      expect((await a.create(calendarId, { title: 'Clock', start: at(written) })).start.dateTime).toBe(shown);
    });
  });

  describe('meetings', () => {
    afterEach(() => a.sandbox.conference({ pendingMs: 0, fail: false }));

    it('that could not be made are asked for again, and cost no event', async () => {
      await a.sandbox.conference({ pendingMs: 0, fail: true });
      const asked = { generateMeetingUrlProvider: 'hangoutsMeet' };
      const event = await a.create(ME, { title: 'Failed', ...hour('2027-06-10'), ...asked });
      expect(event.conferenceData).toMatchObject({ conferenceType: 'hangoutsMeet' });
      expect(event.conferenceData).not.toHaveProperty('joinUrl');
      expect(event).not.toHaveProperty('generateMeetingUrlProvider');
      await a.sandbox.conference({ pendingMs: 0, fail: false });
      expect((await a.change(ME, event.id, asked)).conferenceData.joinUrl).toMatch(/^https/);
    });
  });

  describe('status events', () => {
    it.each([
      ['days', { isAllDay: true, start: { date: '2027-06-06' }, end: { date: '2027-06-07' } }],
      ['guests', { attendees: [{ email: OTHER }] }],
      ['meetings', { generateMeetingUrlProvider: 'hangoutsMeet' }],
      ['free time', { transparency: 'transparent' }],
    ])('are no %s', async (_name, more) => {
      const body = { title: 'Away', ...hour('2027-06-06'), eventType: 'outOfOffice', ...more };
      const response = await a.events('POST', ME, '', { body });
      expect([response.status, response.body.code]).toEqual([400, 'ValidationFailed']);
    });

    it('are for the primary calendar, and stay what they are', async () => {
      const body = { title: 'Focus', ...hour('2027-06-06'), eventType: 'focusTime' };
      expect((await a.events('POST', calendarId, '', { body })).status).toBe(400);
      const focus = await a.create(ME, body);
      expect(focus).toMatchObject({ eventType: 'focusTime', transparency: 'opaque' });
      expect((await a.change(ME, focus.id, { ...focus, title: 'Deep' })).title).toBe('Deep');
      const other = await a.events('PUT', ME, `/${focus.id}`, { body: { eventType: 'default' } });
      expect([other.status, other.body.code]).toEqual([400, 'ValidationFailed']);
      const day = await a.events('PUT', ME, `/${focus.id}`, { body: { isAllDay: true } });
      expect([day.status, day.body.code]).toEqual([400, 'ProviderRejected']);
    });
  });
});
