import { openGoogle, ALICE, BOB, type OpenedGoogle } from './opened-google-calendar.js';

const time = (local: string, timeZone: string | null = 'Europe/Berlin', offsetMinutes: number | null = null) => ({
  kind: 'dateTime' as const,
  local,
  timeZone,
  offsetMinutes,
});
const MEETING = { title: 'Meeting', start: time('2027-03-10T09:00:00'), end: time('2027-03-10T10:00:00') };

describe('writing events at Google', () => {
  let g: OpenedGoogle;
  let calendarId: string;
  const create = async (input: object, options: object = {}) =>
    (await g.provider.createEvent(g.session, calendarId, { ...MEETING, ...input }, options)).event;
  const update = async (id: string, input: object, options: object = {}) =>
    (await g.provider.updateEvent(g.session, calendarId, id, input, options)).event;
  const get = (id: string, on = calendarId) => g.provider.getEvent(g.session, on, id);
  const raw = (eventId: string, on = calendarId) => g.act('calendar.events.get', { calendarId: on, eventId });

  beforeAll(async () => {
    g = await openGoogle();
    calendarId = await g.newCalendar();
  });

  afterAll(() => g.close());

  describe('once', () => {
    it('F23 finds the event of a first try whose answer was lost', async () => {
      await g.fault({ methodId: 'calendar.events.insert' }, { type: 'lose-response' });
      const event = await create({ title: 'Once' });
      const { items } = await g.list(calendarId);
      expect(items.filter((item: any) => item.title === 'Once').map(({ id }) => id)).toEqual([event.id]);
    });

    it('F23 makes one event of two requests with one Idempotency-Key', async () => {
      const first = await create({ title: 'Keyed' }, { idempotencyKey: 'key' });
      const again = await create({ title: 'Keyed' }, { idempotencyKey: 'key' });
      expect(again).toEqual(first);
      expect((await create({ title: 'Keyed' }, { idempotencyKey: 'other key' })).id).not.toBe(first.id);
    });

    it('keeps the keys of calendars apart', async () => {
      const other = await g.newCalendar('Other');
      const here = await create({}, { idempotencyKey: 'shared' });
      const there = await g.provider.createEvent(g.session, other, MEETING, { idempotencyKey: 'shared' });
      expect(there.event.id).not.toBe(here.id);
    });

    it('refuses a key whose event has been deleted since', async () => {
      const { id } = await create({}, { idempotencyKey: 'deleted' });
      await g.provider.deleteEvent(g.session, calendarId, id, {});
      await expect(create({}, { idempotencyKey: 'deleted' })).rejects.toMatchObject({ code: 'Conflict' });
    });

    it('takes a lost answer of a deletion for a deletion', async () => {
      const { id } = await create({});
      await g.fault({ methodId: 'calendar.events.delete' }, { type: 'lose-response' });
      await g.provider.deleteEvent(g.session, calendarId, id, {});
      await expect(get(id)).rejects.toMatchObject({ code: 'NotFound' });
    });
  });

  describe('times', () => {
    it('says which of two equal readings of a clock is meant', async () => {
      const later = await create({
        start: time('2027-10-31T01:30:00', 'Europe/Berlin', 0),
        end: time('2027-10-31T02:30:00', 'Europe/Berlin', 0),
      });
      expect(later.start).toEqual({
        kind: 'dateTime',
        local: '2027-10-31T02:30:00',
        timeZone: 'Europe/Berlin',
        offsetMinutes: 60,
      });
      const first = await create({ start: time('2027-10-31T02:30:00'), end: time('2027-10-31T03:30:00') });
      expect(first.start).toMatchObject({ local: '2027-10-31T02:30:00', offsetMinutes: 120 });
    });

    it('moves from days to hours and back', async () => {
      const { id } = await create({
        start: { kind: 'date', date: '2027-03-10' },
        end: { kind: 'date', date: '2027-03-12' },
      });
      expect((await update(id, { isAllDay: false, start: MEETING.start, end: MEETING.end })).start).toMatchObject({
        local: '2027-03-10T09:00:00',
      });
      expect(await update(id, { isAllDay: true })).toMatchObject({
        start: { kind: 'date', date: '2027-03-10' },
        end: { kind: 'date', date: '2027-03-11' },
      });
    });

    it('keeps the wall time when only the zone changes', async () => {
      const { id } = await create({});
      const moved = await update(id, {
        start: time('2027-03-10T09:00:00', 'America/New_York'),
        end: time('2027-03-10T10:00:00', 'America/New_York'),
      });
      expect(moved.start).toEqual({
        kind: 'dateTime',
        local: '2027-03-10T09:00:00',
        timeZone: 'America/New_York',
        offsetMinutes: -300,
      });
    });

    it('gives a series a zone', async () => {
      const bare = await create({
        start: time('2027-03-22T09:00:00', null, 0),
        end: undefined,
        recurrence: ['FREQ=WEEKLY;COUNT=2'],
      });
      expect(bare.start).toMatchObject({ local: '2027-03-22T10:00:00', timeZone: 'Europe/Berlin' });
    });

    it('refuses to end before it starts, at Google too', async () => {
      const { id } = await create({});
      await expect(update(id, { start: time('2027-03-10T11:00:00') })).rejects.toMatchObject({
        code: 'ValidationFailed',
      });
    });
  });

  describe('colours', () => {
    it('gives back the exact colour that Google rounds', async () => {
      const made = await create({ customColor: '#5484EE', privateExtendedProperties: { mine: '1' } });
      expect(made).toMatchObject({ colorId: '9', customColor: '#5484ee', privateExtendedProperties: { mine: '1' } });
      expect((await update(made.id, { privateExtendedProperties: null })).customColor).toBe('#5484ee');
    });

    it('forgets it once somebody gives the event another colour', async () => {
      const { id } = await create({ customColor: '#5484ee' });
      await g.act('calendar.events.patch', { calendarId, eventId: id }, { colorId: '4' });
      const shown = await get(id);
      expect(shown.colorId).toBe('4');
      expect(shown.customColor).toBeUndefined();
    });

    it('asks Google for its palette once', async () => {
      await create({ customColor: '#5484ee' });
      await g.requests();
      await create({ customColor: '#dc2127' });
      expect(await g.requests()).not.toContain('calendar.colors.get');
    });
  });

  describe('guests', () => {
    const guests = { attendees: [{ email: BOB }, { email: 'carol@example.test' }] };

    it('keeps what guests have answered when others are invited or sent away', async () => {
      const { id } = await g.provider
        .createEvent(g.session, ALICE, { ...MEETING, ...guests }, {})
        .then(({ event }) => event);
      await g.provider.respond(g.bob, BOB, id, 'tentative', {});
      const edited = await g.provider.updateEvent(
        g.session,
        ALICE,
        id,
        { attendees: [{ email: BOB.toUpperCase(), responseStatus: 'accepted' }, { email: 'dave@example.test' }] },
        {},
      );
      expect(edited.ignoredFields).toEqual(['attendees.responseStatus']);
      expect(edited.event.attendees.map(({ email, responseStatus }) => [email, responseStatus])).toEqual([
        [BOB, 'tentative'],
        ['dave@example.test', 'needsAction'],
      ]);
      const unchanged = await g.provider.updateEvent(g.session, ALICE, id, { attendees: edited.event.attendees }, {});
      expect(unchanged.event.etag).toBe(edited.event.etag);
      const alone = await g.provider.updateEvent(g.session, ALICE, id, { attendees: null }, {});
      expect(alone.event.attendees).toEqual([]);
    });

    it('lets a guest answer, also by writing the event', async () => {
      const { event } = await g.provider.createEvent(g.session, ALICE, { ...MEETING, ...guests }, {});
      for (const status of ['accepted', 'needsAction', 'declined', 'tentative'] as const) {
        await g.provider.respond(g.bob, BOB, event.id, status, {});
        expect((await g.provider.getEvent(g.bob, BOB, event.id)).myResponseStatus).toBe(status);
      }
      const written = await g.provider.updateEvent(g.bob, BOB, event.id, { myResponseStatus: 'accepted' }, {});
      expect(written).toMatchObject({ ignoredFields: [], event: { myResponseStatus: 'accepted' } });
      const [bob] = (await get(event.id, ALICE)).attendees.filter(({ email }) => email === BOB);
      expect(bob?.responseStatus).toBe('accepted');
    });

    it('answers for one instance of a series', async () => {
      const { event } = await g.provider.createEvent(
        g.session,
        ALICE,
        { ...MEETING, ...guests, recurrence: ['FREQ=DAILY;COUNT=3'] },
        {},
      );
      await g.provider.respond(g.bob, BOB, `${event.id}_20270311T080000Z`, 'declined', {});
      expect((await g.provider.getEvent(g.bob, BOB, `${event.id}_20270311T080000Z`)).myResponseStatus).toBe('declined');
      expect((await g.provider.getEvent(g.bob, BOB, `${event.id}_20270312T080000Z`)).myResponseStatus).toBe(
        'needsAction',
      );
    });

    it('refuses an answer of the organizer and of who is not invited, without asking Google', async () => {
      const { event } = await g.provider.createEvent(g.session, ALICE, { ...MEETING, ...guests }, {});
      await g.requests();
      await expect(g.provider.respond(g.session, ALICE, event.id, 'accepted', {})).rejects.toMatchObject({
        code: 'ValidationFailed',
      });
      expect(await g.requests()).not.toContain('calendar.events.patch');
    });

    it('says that shared fields belong to the organizer', async () => {
      const { event } = await g.provider.createEvent(g.session, ALICE, { ...MEETING, ...guests }, {});
      const attempt = g.provider.updateEvent(g.bob, BOB, event.id, { title: 'Mine' }, {});
      await expect(attempt).rejects.toMatchObject({ code: 'Forbidden' });
    });

    it('tells guests as asked', async () => {
      for (const [notifyParticipants, sendUpdates] of [
        [undefined, 'all'],
        ['external', 'externalOnly'],
        ['none', 'none'],
      ] as const) {
        await g.control('DELETE', '/requests');
        await create(guests, { notifyParticipants });
        const requests = await g.control('GET', '/requests');
        const { url, path, query } = requests.find(({ methodId }: any) => methodId === 'calendar.events.insert');
        expect(JSON.stringify([url, path, query])).toContain(sendUpdates);
      }
    });
  });

  describe('meetings', () => {
    afterEach(() => g.control('POST', '/google/conference', { pendingMs: 0, fail: false }));

    it('makes a meeting and answers with its link', async () => {
      const made = await create({ generateMeetingUrlProvider: 'hangoutsMeet' });
      expect(made.conferenceData).toMatchObject({
        conferenceType: 'hangoutsMeet',
        joinUrl: expect.stringMatching(/^https:/),
      });
      const again = await update(made.id, {
        generateMeetingUrlProvider: 'hangoutsMeet',
        conferenceData: made.conferenceData,
      });
      expect(again.etag).toBe(made.etag);
      expect((await update(made.id, { conferenceData: null })).conferenceData).toBeUndefined();
    });

    it('waits for a link that takes a moment', async () => {
      await g.control('POST', '/google/conference', { pendingMs: 600, fail: false });
      expect((await create({ generateMeetingUrlProvider: 'hangoutsMeet' })).conferenceData?.joinUrl).toMatch(/^https:/);
    });

    it('answers without a link when none can be made', async () => {
      await g.control('POST', '/google/conference', { pendingMs: 0, fail: true });
      const made = await create({ generateMeetingUrlProvider: 'hangoutsMeet' });
      expect(made.conferenceData?.conferenceType).toBe('hangoutsMeet');
      expect(made.conferenceData).not.toHaveProperty('joinUrl');
    });

    it('refuses a provider that the calendar does not have', async () => {
      await expect(create({ generateMeetingUrlProvider: 'zoom' })).rejects.toMatchObject({
        code: 'NotSupportedByProvider',
        message: expect.stringContaining('hangoutsMeet'),
      });
    });

    it('writes, changes and takes away the conference of a third party', async () => {
      const made = await create({ conferenceData: { joinUrl: 'https://bridge.example.test/1', conferenceId: '1' } });
      expect(made.conferenceData).toMatchObject({
        conferenceType: 'addOn',
        conferenceId: '1',
        joinUrl: 'https://bridge.example.test/1',
      });
      const moved = await update(made.id, {
        conferenceData: { ...made.conferenceData, joinUrl: 'https://bridge.example.test/2' },
      });
      expect(moved.conferenceData).toMatchObject({ conferenceId: '1', joinUrl: 'https://bridge.example.test/2' });
      expect((await update(made.id, moved)).etag).toBe(moved.etag);
      expect((await update(made.id, { conferenceData: null })).conferenceData).toBeUndefined();
    });

    it('takes the place of a Meet, and gives it back', async () => {
      const made = await create({ generateMeetingUrlProvider: 'hangoutsMeet' });
      const other = await update(made.id, { conferenceData: { joinUrl: 'https://bridge.example.test/1' } });
      expect(other.conferenceData).toMatchObject({ conferenceType: 'addOn', joinUrl: 'https://bridge.example.test/1' });
      expect(other.conferenceData).not.toHaveProperty('conferenceId');
      const again = await update(made.id, { generateMeetingUrlProvider: 'hangoutsMeet' });
      expect(again.conferenceData).toMatchObject({ conferenceType: 'hangoutsMeet' });
    });
  });

  describe('status events', () => {
    it.each(['outOfOffice', 'focusTime'] as const)(
      'makes an event of type %s on the primary calendar',
      async (eventType) => {
        const { event } = await g.provider.createEvent(g.session, ALICE, { ...MEETING, eventType }, {});
        expect(event.eventType).toBe(eventType);
        const same = await g.provider.updateEvent(g.session, ALICE, event.id, { eventType, title: 'Away' }, {});
        expect(same.event).toMatchObject({ eventType, title: 'Away' });
        const other = g.provider.updateEvent(g.session, ALICE, event.id, { eventType: 'default' }, {});
        await expect(other).rejects.toMatchObject({ code: 'ValidationFailed', details: [{ path: 'eventType' }] });
      },
    );
  });

  describe('several writers', () => {
    it('applies an edit to what somebody else wrote in between', async () => {
      const { id } = await create({ publicExtendedProperties: { a: '1' } });
      await g.fault({ methodId: 'calendar.events.patch' }, { type: 'status', status: 412, reason: 'conditionNotMet' });
      const written = await update(id, { publicExtendedProperties: { b: '2' } });
      expect(written.publicExtendedProperties).toEqual({ b: '2' });
    });

    it('gives up after some tries, and at once when the caller named a version', async () => {
      const { id, etag } = await create({});
      const rejection = { type: 'status', status: 412, reason: 'conditionNotMet' };
      await g.fault({ methodId: 'calendar.events.patch' }, rejection, { times: 3 });
      await expect(update(id, { title: 'x' })).rejects.toMatchObject({ code: 'Conflict' });
      await g.fault({ methodId: 'calendar.events.patch' }, rejection);
      await expect(update(id, { title: 'x' }, { ifMatch: `"${etag}"` })).rejects.toMatchObject({
        code: 'PreconditionFailed',
      });
    });

    it('writes nothing when nothing changes', async () => {
      const made = await create({});
      await g.requests();
      expect(await update(made.id, { start: MEETING.start, attendees: null })).toEqual(made);
      expect(await g.requests()).not.toContain('calendar.events.patch');
    });
  });

  it('finds instances by lower-case ids', async () => {
    const { id } = await create({ recurrence: ['FREQ=DAILY;COUNT=2'] });
    expect((await get(`${id}_20270311t080000z`)).id).toBe(`${id}_20270311T080000Z`);
  });

  it('resolves the alias of the primary calendar', async () => {
    const { event } = await g.provider.createEvent(g.session, 'primary', MEETING, {});
    expect(await get(event.id, ALICE)).toEqual(event);
  });

  it('keeps what the model does not know', async () => {
    const { id } = await create({});
    await g.act(
      'calendar.events.patch',
      { calendarId, eventId: id },
      { guestsCanModify: true, source: { title: 'x', url: 'https://example.test/' } },
    );
    await update(id, { title: 'Changed' });
    expect(await raw(id)).toMatchObject({ guestsCanModify: true, source: { title: 'x' }, summary: 'Changed' });
  });
});
