import { at, hour } from '../support/berlin-times.js';
import { asAdmin } from '../support/postgres.js';
import { ME, openOutlookAccount, OTHER, type OutlookAccount } from './outlook-account.js';

const TEAMS = { generateMeetingUrlProvider: 'teamsForBusiness' };

describe('writing events of Outlook', () => {
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

  const path = (eventId: string) => `/${encodeURIComponent(eventId)}`;
  const get = async (eventId: string, inCalendar = primary) => (await a.events('GET', inCalendar, path(eventId))).body;
  const put = (eventId: string, body: object, inCalendar = primary) =>
    a.events('PUT', inCalendar, path(eventId), { body });
  const ignoredBy = ({ headers }: { headers: Headers }) => (headers.get('x-ignored-fields')?.split(', ') ?? []).sort();
  const changesSent = async () =>
    (await a.sandbox.microsoft.requests()).filter(({ method }) => method !== 'GET' && method !== 'POST');
  const guest = (address: string, type = 'required') => ({ emailAddress: { address, name: address }, type });
  const timed = (date: string) => {
    const { start, end } = hour(date);
    return { start, end };
  };

  describe('guests', () => {
    it('are told apart by address, whatever the case, and keep name, answer and kind', async () => {
      const made = await a.made({
        subject: 'Kinds',
        ...timed('2027-05-10'),
        attendees: [guest(OTHER, 'optional'), guest('room@fabrikam.example', 'resource'), guest('x@example.net')],
      });
      const shown = await get(made.id);
      const attendees = [
        ...shown.attendees.map(({ email }: any) => ({ email: email.toUpperCase() })),
        { email: OTHER },
        { email: 'y@example.net', name: 'Y' },
      ];
      const changed = await a.change(primary, made.id, { attendees });
      expect(changed.attendees).toHaveLength(4);
      const { attendees: held } = await a.held(made.id);
      expect(held.map(({ type, emailAddress }: any) => [type, emailAddress.address, emailAddress.name])).toEqual([
        ['optional', OTHER, OTHER],
        ['resource', 'room@fabrikam.example', 'room@fabrikam.example'],
        ['required', 'x@example.net', 'x@example.net'],
        ['required', 'y@example.net', 'Y'],
      ]);
    });

    it('who are not named in a change stay invited', async () => {
      const { id } = await a.create(primary, {
        title: 'Stay',
        ...hour('2027-05-10'),
        attendees: [{ email: OTHER }, { email: 'x@example.net' }],
      });
      await a.change(primary, id, { title: 'Stayed', location: 'Here' });
      expect((await a.held(id)).attendees).toHaveLength(2);
      expect((await a.change(primary, id, { attendees: [] })).attendees).toEqual([]);
    });

    it('may be five hundred, and no more', async () => {
      const attendees = Array.from({ length: 501 }, (_, index) => ({ email: `g${index}@example.net` }));
      const body = { title: 'Many', ...hour('2027-05-11') };
      const event = await a.create(primary, { ...body, attendees: attendees.slice(1) });
      expect(event.attendees).toHaveLength(500);
      const { status } = await a.events('POST', primary, '', { body: { ...body, attendees } });
      expect(status).toBe(400);
    });
  });

  describe('a guest', () => {
    const invited = async (subject: string, more: object = {}) => {
      await a.made({ subject, ...timed('2027-05-12'), attendees: [guest(ME)], ...more }, undefined, OTHER);
      const { items } = await a.list(primary, { search: subject });
      return items[0];
    };
    const answer = (eventId: string, responseStatus: string) =>
      a.events('POST', primary, `${path(eventId)}/rsvp`, { body: { responseStatus } });

    it('answers for one instance, and for the series, and the organizer hears of it', async () => {
      const recurrence = {
        pattern: { type: 'daily', interval: 1 },
        range: {
          type: 'numbered',
          startDate: '2027-05-12',
          numberOfOccurrences: 3,
          recurrenceTimeZone: 'Europe/Berlin',
        },
      };
      const { id } = await invited('Round', { recurrence });
      expect((await answer(id, 'accepted')).body).toEqual({ success: true });
      expect((await answer(`${id}_20270513T080000Z`, 'tentative')).body).toEqual({ success: true });
      const { items } = await a.list(
        primary,
        { startDateTime: '2027-05-12T00:00:00Z', endDateTime: '2027-05-16T00:00:00Z' },
        `${path(id)}/occurrences`,
      );
      expect(items.map(({ myResponseStatus }) => myResponseStatus)).toEqual(['accepted', 'tentative', 'accepted']);
      expect(items[1].attendees).toMatchObject([{ email: ME, responseStatus: 'tentative' }]);
      expect(items[0].organizer).toMatchObject({ email: OTHER, isSelf: false });
      const declined = await answer(`${id}_20270514`, 'declined');
      expect(declined.body).toEqual({ success: true });
      expect((await a.events('GET', primary, path(`${id}_20270514`))).status).toBe(404);
    });

    it('cannot take an answer back, and need not give none', async () => {
      const { id } = await invited('None');
      expect((await answer(id, 'needsAction')).body).toEqual({ success: true });
      await answer(id, 'accepted');
      const { status, body } = await answer(id, 'needsAction');
      expect([status, body.code]).toEqual([400, 'NotSupportedByProvider']);
    });

    it('declines once: the event is put away, and sync tells so', async () => {
      const { id } = await invited('Away');
      const window = { startDateTime: '2027-05-01T00:00:00Z', endDateTime: '2027-06-01T00:00:00Z' };
      const { nextSyncToken } = await a.list(primary, window);
      expect((await answer(id, 'declined')).body).toEqual({ success: true });
      expect((await answer(id, 'declined')).status).toBe(404);
      const { items } = await a.list(primary, { syncToken: nextSyncToken });
      expect(items).toMatchObject([{ id, isCancelled: true }]);
    });

    it('sends back what was read without a request', async () => {
      const { id } = await invited('Echo');
      await a.sandbox.microsoft.clearRequests();
      expect(ignoredBy(await put(id, await get(id)))).not.toContain('attendees.responseStatus');
      expect(await changesSent()).toEqual([]);
    });

    it('sees that the organizer has called it off, and has no event any more', async () => {
      const { id, iCalUid } = await invited('Off');
      const { value } = await a.outlook('list_me_events', {}, undefined, OTHER);
      const theirs = value.find(({ subject }: any) => subject === 'Off');
      await a.outlook('cancel_me_events_By_event_id', { 'event-id': theirs.id }, { comment: 'no' }, OTHER);
      expect((await a.list(primary, { iCalUid })).items).toMatchObject([{ id, isCancelled: true }]);
      expect((await a.events('GET', primary, path(id))).status).toBe(404);
      expect((await answer(id, 'accepted')).status).toBe(404);
    });
  });

  it.each([[[]], [[{ email: OTHER }]]])(
    'an organizer answers no invitation of its own: guests %j',
    async (attendees) => {
      const { id } = await a.create(primary, { title: 'Mine', ...hour('2027-05-13'), attendees });
      await a.sandbox.microsoft.clearRequests();
      const body = { responseStatus: 'declined' };
      const answer = await a.events('POST', primary, `${path(id)}/rsvp`, { body });
      expect([answer.status, answer.body.code]).toEqual([400, 'ValidationFailed']);
      expect(
        await a.sandbox.microsoft.requests({ methodId: 'decline_me_calendars_By_calendar_id_events_By_event_id' }),
      ).toEqual([]);
    },
  );

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
      expect((await a.change(primary, id, { conferenceData: null })).conferenceData).toEqual(conferenceData);
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
      expect((await a.change(primary, id, { description: 'Still written' })).description).toBe('Still written');
    });

    it.each(['skypeForConsumer', 'hangoutsMeet', 'unknown'])(
      'of %s are refused where nothing makes them',
      async (name) => {
        const body = { title: 'Refused', ...hour('2027-05-18'), generateMeetingUrlProvider: name };
        const answer = await a.events('POST', primary, '', { body });
        expect([answer.status, answer.body.code]).toEqual([400, 'NotSupportedByProvider']);
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
      const answer = await a.events('POST', calendarId, '', {
        body: { title: 'P', ...hour('2027-05-20'), visibility: 'public' },
      });
      expect([answer.body.visibility, ignoredBy(answer)]).toEqual(['default', ['visibility']]);
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
        const answer = await put(eventId, read);
        expect([answer.status, answer.body]).toEqual([200, read]);
        for (const field of ['conferenceData', 'myResponseStatus', 'attendees.responseStatus', 'reminders'])
          expect(ignoredBy(answer)).not.toContain(field);
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

  describe('a key', () => {
    const body = { title: 'Keyed', ...hour('2027-05-21') };
    const post = (key: string, more = {}) =>
      a.events('POST', calendarId, '', { body: { ...body, ...more }, headers: { 'idempotency-key': key } });
    /** As if the service had died before it kept its answer. */
    const forget = () => asAdmin(a.service.adminDatabaseUrl, (admin) => admin.query('delete from idempotency_record'));

    it('makes one event, also when the service does not remember that it did', async () => {
      const first = await post('k1');
      await forget();
      expect((await post('k1')).body).toEqual(first.body);
      await a.change(calendarId, first.body.id, { title: 'Changed since', publicExtendedProperties: { a: 'b' } });
      await forget();
      const again = await post('k1');
      expect([again.status, again.body.id, again.body.title]).toEqual([200, first.body.id, 'Changed since']);
    });

    it('finds its event when the same key says something else', async () => {
      const first = await post('k2');
      await forget();
      const other = await post('k2', { title: 'Else', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      expect([other.status, other.body.id]).toEqual([200, first.body.id]);
    });

    it('of an event that was deleted since makes no other one', async () => {
      const first = await post('k3');
      await a.events('DELETE', calendarId, path(first.body.id));
      await forget();
      const again = await post('k3');
      expect([again.status, again.body.code]).toEqual([409, 'Conflict']);
    });

    it('is told apart by calendar', async () => {
      const [one, other] = await Promise.all(
        [calendarId, primary].map((id) => a.events('POST', id, '', { body, headers: { 'idempotency-key': 'k4' } })),
      );
      expect(one!.body.id).not.toBe(other!.body.id ?? '');
    });
  });

  describe('versions', () => {
    it('are taken with and without quotes, and refused when they are old', async () => {
      const event = await a.create(calendarId, { title: 'V', ...hour('2027-05-22') });
      const write = (method: string, etag: string, more = {}) =>
        a.events(method, calendarId, path(event.id), { headers: { 'if-match': etag }, ...more });
      const first = await write('PUT', event.etag, { body: { title: 'W' } });
      expect(first.status).toBe(200);
      await a.touch(event.id, { subject: 'Theirs' }, calendarId);
      const [put, gone] = [
        await write('PUT', first.body.etag, { body: { title: 'X' } }),
        await write('DELETE', first.body.etag),
      ];
      expect([put.status, put.body.code, gone.status]).toEqual([412, 'PreconditionFailed', 412]);
      const current = await get(event.id, calendarId);
      expect(current.title).toBe('Theirs');
      expect((await write('DELETE', `"${current.etag}"`)).status).toBe(200);
      expect((await write('DELETE', current.etag)).status).toBe(404);
    });

    it('change by every change of a kind that is shown', async () => {
      const { id } = await a.create(calendarId, { title: 'V', ...hour('2027-05-22') });
      const etags = new Set<string>();
      const changes = [
        { title: 'x' },
        { description: 'd' },
        { publicExtendedProperties: { a: '1' } },
        { customColor: '#aabbcc' },
        { attendees: [{ email: OTHER }] },
        { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] },
      ];
      for (const change of changes) etags.add((await a.change(calendarId, id, change)).etag);
      expect(etags.size).toBe(changes.length);
    });
  });

  describe('times', () => {
    it.each([
      ['that the clock leaves out', '2027-03-28T02:30:00', '2027-03-28T03:30:00+02:00'],
      ['that comes twice, the first', '2027-10-31T02:30:00+02:00', '2027-10-31T02:30:00+02:00'],
      ['that comes twice, the second', '2027-10-31T02:30:00+01:00', '2027-10-31T02:30:00+01:00'],
    ])('show one %s', async (_name, written, shown) => {
      const event = await a.create(calendarId, { title: 'Clock', start: at(written) });
      expect([event.start.dateTime, event.start.timeZone]).toEqual([shown, 'Europe/Berlin']);
      expect(Date.parse(event.end.dateTime) - Date.parse(shown)).toBe(3_600_000);
    });

    it.each([
      ['Asia/Kolkata', 'Asia/Kolkata'],
      ['Asia/Calcutta', 'Asia/Calcutta'],
      ['Europe/Rome', 'Europe/Rome'],
      ['Europe/Kyiv', 'Europe/Kyiv'],
      ['Antarctica/Troll', 'Antarctica/Troll'],
      ['America/Argentina/Ushuaia', 'America/Argentina/Ushuaia'],
      ['Pacific Standard Time', 'America/Los_Angeles'],
      ['Etc/UTC', 'Etc/UTC'],
    ])('in %s come back in %s', async (written, read) => {
      const start = at('2027-06-10T10:00:00', written);
      const event = await a.create(calendarId, { title: 'Zone', start });
      expect([event.start.timeZone, event.start.dateTime.slice(0, 19)]).toEqual([read, '2027-06-10T10:00:00']);
    });

    it('of a series are in a zone that Outlook has, or refused by its name', async () => {
      const body = {
        title: 'Troll',
        recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
        start: at('2027-06-10T10:00:00', 'Antarctica/Troll'),
      };
      const answer = await a.events('POST', calendarId, '', { body });
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('Antarctica/Troll')]);
      const rome = { ...body, start: at('2027-06-10T10:00:00', 'Europe/Rome') };
      expect((await a.create(calendarId, rome)).start.timeZone).toBe('Europe/Rome');
    });

    it('change one by one', async () => {
      const { id } = await a.create(calendarId, { title: 'Parts', ...hour('2027-06-20') });
      const change = (body: object) => a.change(calendarId, id, body);
      expect((await change({ end: at('2027-06-20T13:00:00') })).end.dateTime).toBe('2027-06-20T13:00:00+02:00');
      const day = { start: { date: '2027-06-20' }, end: { date: '2027-06-21' } };
      expect(await change({ isAllDay: true })).toMatchObject(day);
      expect(await change({ end: { date: '2027-06-23' } })).toMatchObject({ ...day, end: { date: '2027-06-23' } });
      const timed = await change({ ...hour('2027-06-20'), isAllDay: false });
      expect(timed.start.dateTime).toBe('2027-06-20T10:00:00+02:00');
      const zone = 'Asia/Tokyo';
      const zoned = await change({ start: at('2027-06-20T10:00:00', zone), end: at('2027-06-20T11:00:00', zone) });
      expect(zoned.start).toMatchObject({ dateTime: '2027-06-20T10:00:00+09:00', timeZone: zone });
    });

    it.each(['Etc/GMT+12', 'Pacific/Kiritimati', 'Pacific/Apia', 'Asia/Kathmandu', 'Antarctica/Troll'])(
      'of days are lived in the calendar’s zone, %s',
      async (timeZone) => {
        const body = { name: timeZone, timeZone };
        const { id } = (await a.service.call('POST', `/v1/calendars/${a.accountId}`, { body })).body;
        const event = await a.create(id, { title: 'Day', start: { date: '2027-06-10' }, isAllDay: true });
        expect(event).toMatchObject({ isAllDay: true, start: { date: '2027-06-10' }, end: { date: '2027-06-11' } });
        const startMs = Temporal.PlainDate.from('2027-06-10').toZonedDateTime(timeZone).epochMilliseconds;
        const endMs = startMs + 86_400_000;
        const instant = (ms: number) => new Date(ms).toISOString();
        const isIn = async (fromMs: number, toMs: number) =>
          (await a.list(id, { startDateTime: instant(fromMs), endDateTime: instant(toMs) })).items.length === 1;
        expect(await isIn(startMs - 1_000, startMs)).toBe(false);
        expect(await isIn(startMs, startMs + 1_000)).toBe(true);
        expect(await isIn(endMs - 1_000, endMs)).toBe(true);
        expect(await isIn(endMs, endMs + 1_000)).toBe(false);
        const series = await a.create(id, {
          title: 'Days',
          start: { date: '2027-06-15' },
          recurrence: ['RRULE:FREQ=DAILY;UNTIL=20270617'],
        });
        const window = { startDateTime: instant(startMs), endDateTime: instant(startMs + 20 * 86_400_000) };
        const { items } = await a.list(id, window, `${path(series.id)}/occurrences`);
        expect(items.map(({ id: instance }) => instance)).toEqual(
          ['20270615', '20270616', '20270617'].map((date) => `${series.id}_${date}`),
        );
        expect(items.map(({ start }) => start.date)).toEqual(['2027-06-15', '2027-06-16', '2027-06-17']);
      },
    );
  });
});
