import { at, hour } from '../../../support/berlin-times.js';
import { ignoredBy, openOutlookAccount, OTHER, path, timed, type OutlookAccount } from './outlook-account.js';

const TEAMS = { generateMeetingUrlProvider: 'teamsForBusiness' };

describe('what events of Outlook say', () => {
  let a: OutlookAccount;
  let primary: string;
  let calendarId: string;

  beforeAll(async () => {
    a = await openOutlookAccount();
    primary = a.calendarId;
    calendarId = await a.newCalendar();
  });

  afterEach(() => a.sandbox.microsoft.clearFaults());

  afterAll(() => a.stop());

  const get = async (eventId: string, inCalendar = primary) => (await a.events('GET', inCalendar, path(eventId))).body;
  const put = (eventId: string, body: object, inCalendar = primary) =>
    a.events('PUT', inCalendar, path(eventId), { body });
  const changesSent = async () =>
    (await a.sandbox.microsoft.requests()).filter(({ method }) => method !== 'GET' && method !== 'POST');

  describe('descriptions', () => {
    it.each([
      ['a < b && c > d', 'a < b && c > d'],
      ['Mail <me@example.net>, &amp; and &lt;', 'Mail <me@example.net>, &amp; and &lt;'],
      ['one\ntwo\r\n\r\nfour', 'one\ntwo\n\nfour'],
      ['  indented\n\ttab', '  indented\n\ttab'],
      ['日本語 👩‍👩‍👧 \u2028', '日本語 👩‍👩‍👧 \u2028'],
      ['<p>One</p><p>Two &amp; <b>three</b></p>', 'One\nTwo & three'],
      ['x'.repeat(8_000), 'x'.repeat(8_000)],
    ])('%j read %j', async (description, read) => {
      const event = await a.create(calendarId, { title: 'D', ...hour('2027-05-14'), description });
      expect(event.description).toBe(read);
      await a.sandbox.microsoft.clearRequests();
      await put(event.id, { description: read }, calendarId);
      expect(await changesSent()).toEqual([]);
    });

    it.each([
      ['<html><head><style>p{}</style><script>alert(1)</script></head><body>One<br>Two</body></html>', 'One\nTwo'],
      ['<div>&#8364;&nbsp;5 &bogus; &#x110000;</div>', '€'],
      ['<b>unclosed', 'unclosed'],
      ['<a href="https://example.net/?a=1&amp;b=2">there</a>', 'https://example.net/?a=1&b=2'],
    ])('of HTML that somebody else wrote are texts: %j', async (content, read) => {
      const { id } = await a.made({ subject: 'H', ...timed('2027-05-14'), body: { contentType: 'html', content } });
      const { description } = await get(id);
      expect(description).toContain(read);
      expect(description).not.toMatch(/<(?!https)|alert|p\{\}/);
    });
  });

  describe('formatted descriptions', () => {
    const content = '<html><body><h1>Agenda</h1><ul><li>Bring <b>this</b></li></ul></body></html>';
    const body = { contentType: 'html', content };

    it.each([false, true])('stay as they are when the whole event comes back, meeting: %s', async (isOnlineMeeting) => {
      const meeting = isOnlineMeeting ? { isOnlineMeeting, onlineMeetingProvider: 'teamsForBusiness' } : {};
      const { id } = await a.made({ subject: 'Formatted', ...timed('2027-05-14'), body, ...meeting });
      const { body: before } = await a.held(id);
      const read = await get(id);
      expect(read.description).toBe('Agenda\nBring this');
      expect((await put(id, { ...read, title: 'Other' })).status).toBe(200);
      expect(await a.held(id)).toMatchObject({ subject: 'Other', body: before });
      expect(before.content).toContain('<h1>Agenda</h1>');
      await put(id, { ...read, description: 'Agenda\n\nBring this' });
      expect((await a.held(id)).body.content).not.toContain('<h1>');
    });

    it('of an instance outlive a move of its series, and become those of the later ones', async () => {
      const { id } = await a.create(primary, {
        title: 'Daily',
        ...hour('2027-05-03'),
        recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
      });
      const { items } = await a.list(
        primary,
        { startDateTime: '2027-05-03T00:00:00Z', endDateTime: '2027-05-08T00:00:00Z' },
        `${path(id)}/occurrences`,
      );
      await put(items[1].id, { description: '<h1>Agenda</h1><p>Bring <b>this</b></p>' });
      await a.change(primary, id, hour('2027-05-03', 12));
      const moved = await get(`${id}_20270504T100000Z`);
      expect(moved.description).toBe('Agenda\nBring this');
      const whole = await a.events('PUT', primary, path(moved.id), {
        body: { description: moved.description, location: 'There' },
        query: { scope: 'all' },
      });
      expect(whole.body).toMatchObject({ id, description: 'Agenda\nBring this', location: 'There' });
      expect((await a.held(id)).body.content).toContain('<b>this</b>');
    });
  });

  describe('meetings', () => {
    afterEach(() => a.sandbox.microsoft.meetings({ pendingMs: 0, fail: false }));

    it.each(['New text', '<p>New</p><p>text</p>', '', null])('outlive the description %j', async (description) => {
      const { id, conferenceData } = await a.create(primary, {
        title: 'Teams',
        ...hour('2027-05-18'),
        description: 'Old text',
        ...TEAMS,
      });
      expect(conferenceData).toMatchObject({
        conferenceType: 'teamsForBusiness',
        joinUrl: expect.stringMatching(/^https/),
      });
      const changed = await a.change(primary, id, { description });
      expect(changed.conferenceData).toEqual(conferenceData);
      const { body, isOnlineMeeting } = await a.held(id);
      expect([isOnlineMeeting, body.content.includes(conferenceData.joinUrl)]).toEqual([true, true]);
      expect(changed.description?.replaceAll('\n', ' ')).toBe(
        description === null || description === '' ? undefined : description.startsWith('<') ? 'New text' : description,
      );
      expect((await a.change(primary, id, { description: 'Third' })).conferenceData).toEqual(conferenceData);
      expect((await a.held(id)).body.content.split(conferenceData.joinUrl)).toHaveLength(2);
    });

    it('outlive moves, echoes and other guests', async () => {
      const { id, conferenceData } = await a.create(primary, { title: 'Teams', ...hour('2027-05-18'), ...TEAMS });
      expect((await a.change(primary, id, hour('2027-05-19'))).conferenceData).toEqual(conferenceData);
      expect((await a.change(primary, id, { attendees: [{ email: OTHER }] })).conferenceData).toEqual(conferenceData);
      expect((await a.change(primary, id, { ...(await get(id)), ...TEAMS })).conferenceData).toEqual(conferenceData);
    });

    it('are neither written nor taken away by callers', async () => {
      const { id, conferenceData } = await a.create(primary, { title: 'Teams', ...hour('2027-05-18'), ...TEAMS });
      const joinUrl = 'https://bridge.example.test/1';
      for (const written of [null, { joinUrl }, { ...conferenceData, joinUrl }]) {
        const { status, body } = await put(id, { title: 'Not written', conferenceData: written });
        expect([status, body.code]).toEqual([400, 'NotSupportedByProvider']);
      }
      expect(await get(id)).toMatchObject({ title: 'Teams', conferenceData });
      expect((await put(id, { conferenceData: { joinUrl: conferenceData.joinUrl } })).status).toBe(200);
    });

    it('whose link comes late are waited for', async () => {
      await a.sandbox.microsoft.meetings({ pendingMs: 400, fail: false });
      const { conferenceData } = await a.create(primary, { title: 'Late', ...hour('2027-05-18'), ...TEAMS });
      expect(conferenceData.joinUrl).toMatch(/^https/);
    });

    it('whose link never comes cost no event', async () => {
      await a.sandbox.microsoft.meetings({ pendingMs: 0, fail: true });
      const { id, conferenceData } = await a.create(primary, { title: 'Never', ...hour('2027-05-18'), ...TEAMS });
      expect(conferenceData ?? {}).not.toHaveProperty('joinUrl');
      const read = await get(id);
      expect(read.generateMeetingUrlProvider).toBe(TEAMS.generateMeetingUrlProvider);
      expect((await put(id, read)).status).toBe(200);
      expect((await a.change(primary, id, { description: 'Still written' })).description).toBe('Still written');
    });

    it.each(['skypeForConsumer', 'hangoutsMeet', 'unknown'])(
      'of %s are refused where nothing makes them',
      async (name) => {
        const body = { title: 'Refused', ...hour('2027-05-18'), generateMeetingUrlProvider: name };
        const response = await a.events('POST', primary, '', { body });
        expect([response.status, response.body.code]).toEqual([400, 'NotSupportedByProvider']);
        expect((await a.list(primary, { search: 'Refused' })).items).toEqual([]);
      },
    );
  });

  describe('fields', () => {
    it.each([
      ['visibility', 'private', 'sensitivity', 'private'],
      ['visibility', 'confidential', 'sensitivity', 'confidential'],
      ['visibility', 'default', 'sensitivity', 'normal'],
      ['transparency', 'transparent', 'showAs', 'free'],
      ['eventType', 'outOfOffice', 'showAs', 'oof'],
      ['eventType', 'focusTime', 'showAs', 'busy'],
      ['colorId', '11', 'categories', ['11']],
    ])('%s %s is %s %s, and read back', async (field, value, graphField, graphValue) => {
      const event = await a.create(calendarId, { title: 'F', ...hour('2027-05-20'), [field]: value });
      expect(event[field]).toBe(value);
      expect((await a.held(event.id, calendarId))[graphField]).toEqual(graphValue);
    });

    it('visibility public is the default one, and said to be ignored', async () => {
      const response = await a.events('POST', calendarId, '', {
        body: { title: 'P', ...hour('2027-05-20'), visibility: 'public' },
      });
      expect([response.body.visibility, ignoredBy(response)]).toEqual(['default', ['visibility']]);
    });

    it.each(['tentative', 'oof', 'workingElsewhere', 'free', 'busy', 'unknown'])(
      'showAs %s stays when it takes up time as asked',
      async (showAs) => {
        const { id } = await a.made({ subject: 'S', ...timed('2027-05-20'), showAs }, calendarId);
        const { transparency, eventType } = await get(id, calendarId);
        expect(transparency).toBe(showAs === 'free' || showAs === 'workingElsewhere' ? 'transparent' : 'opaque');
        await a.change(calendarId, id, { title: 'T', transparency, eventType });
        expect((await a.held(id, calendarId)).showAs).toBe(showAs);
      },
    );

    it('personal is private, and stays personal', async () => {
      const { id } = await a.made({ subject: 'S', ...timed('2027-05-20'), sensitivity: 'personal' }, calendarId);
      expect((await a.change(calendarId, id, { title: 'T', visibility: 'private' })).visibility).toBe('private');
      expect((await a.held(id, calendarId)).sensitivity).toBe('personal');
    });

    it('of colour are one category, and leave the others alone', async () => {
      const categories = ['Red category', '3', 'Customer'];
      const { id } = await a.made({ subject: 'C', ...timed('2027-05-20'), categories }, calendarId);
      const read = await get(id, calendarId);
      expect(read.colorId).toBe('3');
      expect((await put(id, read, calendarId)).status).toBe(200);
      expect(await a.change(calendarId, id, { colorId: '4', customColor: '#ABCDEF' })).toMatchObject({
        colorId: '4',
        customColor: '#abcdef',
      });
      expect((await a.held(id, calendarId)).categories).toEqual(['4', 'Red category', 'Customer']);
      const cleared = await a.change(calendarId, id, { colorId: null, customColor: null });
      expect([cleared.colorId, cleared.customColor]).toEqual([undefined, undefined]);
      expect((await a.held(id, calendarId)).categories).toEqual(['Red category', 'Customer']);
    });

    it('are cleared by null, every one that can be', async () => {
      const { id } = await a.create(primary, {
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
      });
      await a.change(primary, id, { end: at('2027-05-17T14:00:00') });
      const cleared = await a.change(primary, id, {
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
      expect(cleared).toMatchObject({
        visibility: 'default',
        transparency: 'opaque',
        isRecurring: false,
        recurrence: null,
        attendees: [],
        publicExtendedProperties: {},
        privateExtendedProperties: {},
        start: { dateTime: '2027-05-17T10:00:00+02:00' },
        end: { dateTime: '2027-05-17T11:00:00+02:00' },
        reminders: { isReminderOn: false },
      });
      for (const field of ['description', 'location', 'colorId', 'customColor'])
        expect(cleared).not.toHaveProperty(field);
    });

    it('come back as they were read without a request, of an event, a series and an instance', async () => {
      const { id } = await a.create(primary, {
        title: 'Echo',
        ...hour('2027-05-18'),
        description: 'd\ne',
        location: 'l',
        colorId: '4',
        customColor: '#abcdef',
        visibility: 'private',
        attendees: [{ email: OTHER, name: 'Omar' }],
        recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4', 'EXDATE;TZID=Europe/Berlin:20270525T100000'],
        publicExtendedProperties: { a: '1' },
        privateExtendedProperties: { b: '1' },
        reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
        ...TEAMS,
      });
      await a.change(primary, `${id}_20270608T080000Z`, { title: 'Own' });
      const day = await a.create(primary, { title: 'Day', start: { date: '2027-05-18' }, isAllDay: true });
      for (const eventId of [id, `${id}_20270601T080000Z`, `${id}_20270608T080000Z`, day.id]) {
        const read = await get(eventId);
        await a.sandbox.microsoft.clearRequests();
        const response = await put(eventId, read);
        expect([response.status, response.body]).toEqual([200, read]);
        for (const field of ['conferenceData', 'myResponseStatus', 'attendees.responseStatus', 'reminders'])
          expect(ignoredBy(response)).not.toContain(field);
        expect(await changesSent()).toEqual([]);
      }
    });

    it('of properties hold any text, and are found by it', async () => {
      const publicExtendedProperties = { 'ключ=a&b ü': `a=b&c=ü,;"'`, other: '' };
      const privateExtendedProperties = { key: 'X', hasOwnProperty: 'y' };
      const event = await a.create(calendarId, {
        title: 'Properties',
        ...hour('2027-05-19'),
        publicExtendedProperties,
        privateExtendedProperties,
      });
      expect(event).toMatchObject({ publicExtendedProperties, privateExtendedProperties });
      for (const window of [{}, { startDateTime: '2027-05-19T00:00:00Z', endDateTime: '2027-05-20T00:00:00Z' }]) {
        const isFound = async (filter: object) =>
          (await a.list(calendarId, { ...window, metadataFilters: JSON.stringify(filter) })).items.length === 1;
        expect(await isFound(publicExtendedProperties)).toBe(true);
        expect(await isFound({ public: publicExtendedProperties, private: privateExtendedProperties })).toBe(true);
        expect(await isFound({ key: 'X' })).toBe(true);
        expect(await isFound({ key: 'x' })).toBe(false);
        expect(await isFound({ Key: 'X' })).toBe(false);
        expect(await isFound({ private: { other: '' } })).toBe(false);
        expect(await isFound({ toString: 'x' })).toBe(false);
      }
      const replaced = await a.change(calendarId, event.id, { publicExtendedProperties: { only: 'ö' } });
      expect(replaced.publicExtendedProperties).toEqual({ only: 'ö' });
      expect(replaced).toMatchObject({ privateExtendedProperties });
      expect((await a.change(calendarId, event.id, { publicExtendedProperties: {} })).publicExtendedProperties).toEqual(
        {},
      );
    });
  });
});
