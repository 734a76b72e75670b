import type { Fixture } from './subject.js';

export const MEETING = {
  title: 'Planning, part 1; "final" — Größe 🎉',
  start: { dateTime: '2027-03-10T09:00:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2027-03-10T10:30:00', timeZone: 'Europe/Berlin' },
};

export function eventsConform(fixture: () => Fixture): void {
  describe('events', () => {
    it('creates an event with every writable field and reads it back equal', async () => {
      const { call, create, calendarId, subject } = fixture();
      const event = {
        ...MEETING,
        description: 'Line one\nLine two, with; marks \\ and "quotes"',
        location: 'Room 4, 2nd floor',
        visibility: 'private',
        transparency: 'transparent',
        customColor: '#1a73e8',
        publicExtendedProperties: { crm: '42', 'with space': 'ü' },
        privateExtendedProperties: { secret: 'only mine' },
        reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 15 }] },
      };
      const made = await create(event);
      expect(made).toMatchObject({
        title: event.title,
        description: event.description,
        location: event.location,
        visibility: 'private',
        transparency: 'transparent',
        customColor: '#1a73e8',
        publicExtendedProperties: event.publicExtendedProperties,
        privateExtendedProperties: event.privateExtendedProperties,
        reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 15 }] },
        start: { dateTime: '2027-03-10T09:00:00+01:00', timeZone: 'Europe/Berlin' },
        end: { dateTime: '2027-03-10T10:30:00+01:00', timeZone: 'Europe/Berlin' },
        isAllDay: false,
        isRecurring: false,
        isException: false,
        isCancelled: false,
        recurrence: null,
        eventType: 'default',
        iCalUid: expect.any(String),
        etag: expect.any(String),
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      });
      if (subject.differs.idsWithoutUnderscore) expect(made.id).not.toContain('_');
      const read = await call('GET', 'events', `/${calendarId}/${made.id}`);
      expect(read.status).toBe(200);
      expect(read.body).toEqual(made);
    });

    it('fills in what a bare event leaves open', async () => {
      const { create } = fixture();
      const timed = await create({ title: 'Bare', start: { dateTime: '2027-03-11T09:00:00Z' } });
      expect(timed).toMatchObject({
        start: { dateTime: '2027-03-11T09:00:00Z', timeZone: 'UTC' },
        end: { dateTime: '2027-03-11T10:00:00Z' },
        visibility: 'default',
        transparency: 'opaque',
        publicExtendedProperties: {},
        privateExtendedProperties: {},
      });
      const allDay = await create({ title: 'Bare day', start: { date: '2027-03-11' } });
      expect(allDay).toMatchObject({ isAllDay: true, start: { date: '2027-03-11' }, end: { date: '2027-03-12' } });
    });

    it.each([
      'Etc/GMT+12',
      'Pacific/Pago_Pago',
      'America/New_York',
      'UTC',
      'Asia/Kolkata',
      'Pacific/Auckland',
      'Pacific/Kiritimati',
    ])('never shifts an all-day event, shown in %s', async (timeZone) => {
      const { create, call, calendarId } = fixture();
      const made = await create({
        title: 'Holiday',
        isAllDay: true,
        start: { date: '2027-03-28' },
        end: { date: '2027-03-30' },
      });
      const { body } = await call('GET', 'events', `/${calendarId}/${made.id}`, { query: { timeZone } });
      expect(body.start).toMatchObject({ date: '2027-03-28', dateTime: expect.stringMatching(/^2027-03-28T00:00:00/) });
      expect(body.end).toMatchObject({ date: '2027-03-30', dateTime: expect.stringMatching(/^2027-03-30T00:00:00/) });
    });

    it('takes all-day bounds written as date-times literally', async () => {
      const { create } = fixture();
      const made = await create({
        title: 'Literal',
        isAllDay: true,
        start: { dateTime: '2027-05-01T00:00:00Z', timeZone: 'America/New_York' },
        end: { dateTime: '2027-05-02T00:00:00Z', timeZone: 'America/New_York' },
      });
      expect(made).toMatchObject({ start: { date: '2027-05-01' }, end: { date: '2027-05-02' } });
    });

    it('shows times in the zone asked for, with its offset', async () => {
      const { create, call, calendarId } = fixture();
      const { id } = await create(MEETING);
      const { body } = await call('GET', 'events', `/${calendarId}/${id}`, { query: { timeZone: 'Asia/Kolkata' } });
      expect(body.start).toEqual({ dateTime: '2027-03-10T13:30:00+05:30', timeZone: 'Asia/Kolkata' });
      expect(body.end).toEqual({ dateTime: '2027-03-10T15:00:00+05:30', timeZone: 'Asia/Kolkata' });
    });

    it('expresses an instant in the zone given with it', async () => {
      const made = await fixture().create({
        title: 'Instant',
        start: { dateTime: '2027-07-01T12:00:00Z', timeZone: 'America/New_York' },
        end: { dateTime: '2027-07-01T15:00:00+02:00', timeZone: 'America/New_York' },
      });
      expect(made.start).toEqual({ dateTime: '2027-07-01T08:00:00-04:00', timeZone: 'America/New_York' });
      expect(made.end).toEqual({ dateTime: '2027-07-01T09:00:00-04:00', timeZone: 'America/New_York' });
    });

    it('maps a Windows zone name and refuses one that nobody knows, naming it', async () => {
      const { create, call, calendarId } = fixture();
      const made = await create({
        title: 'Windows',
        start: { dateTime: '2027-07-01T09:00:00', timeZone: 'W. Europe Standard Time' },
      });
      expect(made.start).toEqual({ dateTime: '2027-07-01T09:00:00+02:00', timeZone: 'Europe/Berlin' });
      const rejected = await call('POST', 'events', `/${calendarId}`, {
        body: { title: 'x', start: { dateTime: '2027-07-01T09:00:00', timeZone: 'Mars/Olympus' } },
      });
      expect(rejected.status).toBe(400);
      expect(rejected.body.message).toContain('Mars/Olympus');
      expect(rejected.body.details[0].path).toBe('start.timeZone');
    });

    it('changes only the fields given, and clears those given as null', async () => {
      const { create, call, calendarId } = fixture();
      const made = await create({ ...MEETING, description: 'Text', location: 'Here' });
      const retitled = await call('PUT', 'events', `/${calendarId}/${made.id}`, { body: { title: 'Other' } });
      expect(retitled.status).toBe(200);
      const { etag: _etag, updatedAt: _updatedAt, ...rest } = made;
      expect(retitled.body).toMatchObject({ ...rest, title: 'Other' });
      const cleared = await call('PUT', 'events', `/${calendarId}/${made.id}`, { body: { description: null } });
      expect(cleared.body.description ?? '').toBe('');
      expect(cleared.body).toMatchObject({ title: 'Other', location: 'Here', start: made.start });
    });

    it('moves a timed event to all-day and back', async () => {
      const { create, call, calendarId } = fixture();
      const { id } = await create(MEETING);
      const path = `/${calendarId}/${id}`;
      const allDay = await call('PUT', 'events', path, {
        body: { isAllDay: true, start: { date: '2027-03-12' }, end: { date: '2027-03-13' } },
      });
      expect(allDay.body).toMatchObject({ isAllDay: true, start: { date: '2027-03-12' }, end: { date: '2027-03-13' } });
      const timed = await call('PUT', 'events', path, {
        body: { isAllDay: false, start: MEETING.start, end: MEETING.end },
      });
      expect(timed.body).toMatchObject({ isAllDay: false, start: { dateTime: '2027-03-10T09:00:00+01:00' } });
    });

    it('changes the parts of its times one by one', async () => {
      const { create, call, calendarId } = fixture();
      const at = (time: string, timeZone = 'Europe/Berlin') => ({ dateTime: `2027-06-20T${time}:00`, timeZone });
      const ten = { start: at('10:00'), end: at('11:00') };
      const { id } = await create({ title: 'Parts', ...ten });
      const change = async (body: object) => (await call('PUT', 'events', `/${calendarId}/${id}`, { body })).body;
      expect((await change({ end: at('13:00') })).end.dateTime).toBe('2027-06-20T13:00:00+02:00');
      const day = { start: { date: '2027-06-20' }, end: { date: '2027-06-21' } };
      expect(await change({ isAllDay: true })).toMatchObject(day);
      expect(await change({ end: { date: '2027-06-23' } })).toMatchObject({ ...day, end: { date: '2027-06-23' } });
      const timed = await change({ ...ten, isAllDay: false });
      expect(timed.start.dateTime).toBe('2027-06-20T10:00:00+02:00');
      const zoned = await change({ start: at('10:00', 'Asia/Tokyo'), end: at('11:00', 'Asia/Tokyo') });
      expect(zoned.start).toMatchObject({ dateTime: '2027-06-20T10:00:00+09:00', timeZone: 'Asia/Tokyo' });
    });

    it.each(['Etc/GMT+12', 'Pacific/Kiritimati', 'Pacific/Apia', 'Asia/Kathmandu', 'Antarctica/Troll'])(
      'lives days in the zone of the calendar, %s',
      async (timeZone) => {
        const { call, readAll } = fixture();
        const calendar = await call('POST', 'calendars', '', { body: { name: `Days in ${timeZone}`, timeZone } });
        const inCalendar = `/${calendar.body.id}`;
        const make = async (body: object) => (await call('POST', 'events', inCalendar, { body })).body;
        const event = await make({ title: 'Day', start: { date: '2027-06-10' }, isAllDay: true });
        expect(event).toMatchObject({ isAllDay: true, start: { date: '2027-06-10' }, end: { date: '2027-06-11' } });
        // Some servers keep no zone for a calendar; days are UTC's there.
        const zone = calendar.body.timeZone ?? 'UTC';
        const startMs = Temporal.PlainDate.from('2027-06-10').toZonedDateTime(zone).epochMilliseconds;
        const endMs = startMs + 86_400_000;
        const window = (fromMs: number, toMs: number) => ({
          startDateTime: new Date(fromMs).toISOString(),
          endDateTime: new Date(toMs).toISOString(),
        });
        const isIn = async (fromMs: number, toMs: number) =>
          (await readAll(inCalendar, window(fromMs, toMs))).items.length === 1;
        expect(await isIn(startMs - 1_000, startMs)).toBe(false);
        expect(await isIn(startMs, startMs + 1_000)).toBe(true);
        expect(await isIn(endMs - 1_000, endMs)).toBe(true);
        expect(await isIn(endMs, endMs + 1_000)).toBe(false);
        const recurrence = ['RRULE:FREQ=DAILY;UNTIL=20270617'];
        const series = await make({ title: 'Days', start: { date: '2027-06-15' }, recurrence });
        const query = window(startMs, startMs + 20 * 86_400_000);
        const { items } = await readAll(`${inCalendar}/${series.id}/occurrences`, query);
        expect(items.map(({ start }) => start.date)).toEqual(['2027-06-15', '2027-06-16', '2027-06-17']);
        await call('DELETE', 'calendars', inCalendar);
      },
    );

    it('tells a change of private properties to a sync, or keeps the version of the event', async () => {
      const { create, call, calendarId, readAll, subject } = fixture();
      const time = (hour: number) => ({ dateTime: `2027-09-08T0${hour}:00:00Z` });
      const before = await create({ title: 'Tagged', start: time(8), end: time(9) });
      const window = { startDateTime: '2027-09-08T00:00:00Z', endDateTime: '2027-09-09T00:00:00Z' };
      const { nextSyncToken: syncToken } = await readAll(`/${calendarId}`, window);
      const privateExtendedProperties = { tag: 'new' };
      const path = `/${calendarId}/${before.id}`;
      const { body } = await call('PUT', 'events', path, { body: { privateExtendedProperties } });
      expect(body).toMatchObject({ privateExtendedProperties });
      const { items } = await readAll(`/${calendarId}`, { syncToken });
      const isVersioned = subject.differs.versionsPrivateProperties;
      expect(items.map((event) => event.privateExtendedProperties)).toEqual(
        isVersioned ? [privateExtendedProperties] : [],
      );
      expect(body.etag === before.etag).toBe(!isVersioned);
    });

    it('applies no read-only field and names them', async () => {
      const { call, calendarId } = fixture();
      const { status, headers, body } = await call('POST', 'events', `/${calendarId}`, {
        body: {
          ...MEETING,
          id: 'mine',
          etag: 'x',
          iCalUid: 'mine@x',
          createdAt: '2000-01-01T00:00:00Z',
          isCancelled: true,
        },
      });
      expect(status).toBe(200);
      expect(body.id).not.toBe('mine');
      expect(body.iCalUid).not.toBe('mine@x');
      expect(body.isCancelled).toBe(false);
      expect(headers.get('x-ignored-fields')?.split(/, ?/).sort()).toEqual([
        'createdAt',
        'etag',
        'iCalUid',
        'id',
        'isCancelled',
      ]);
    });

    it.each([
      [{ start: MEETING.start }, 'title'],
      [{ title: 'x' }, 'start'],
      [{ title: 'x', start: { dateTime: 'tomorrow' } }, 'start.dateTime'],
      [{ title: 'x', start: { dateTime: '2027-02-30T09:00:00Z' } }, 'start.dateTime'],
      [{ title: 'x', start: { date: '2027-02-30' } }, 'start.date'],
      [{ title: 'x', start: { dateTime: '9999-01-01T09:00:00Z' } }, 'start.dateTime'],
      [
        { title: 'x', start: MEETING.start, end: { dateTime: '2027-03-10T08:00:00', timeZone: 'Europe/Berlin' } },
        'end',
      ],
      [{ title: 'x', start: { date: '2027-03-10' }, end: { dateTime: '2027-03-11T08:00:00Z' } }, 'end'],
      [{ title: 'x', start: MEETING.start, visibility: 'secret' }, 'visibility'],
      [{ title: 'x', start: MEETING.start, colour: 'red' }, 'colour'],
      [{ title: 'x', start: MEETING.start, recurrence: ['FREQ=HOURLY;COUNT=0'] }, 'recurrence'],
      [{ title: 'x', start: MEETING.start, recurrence: ['DTSTART:20270310T090000Z'] }, 'recurrence'],
    ])('refuses %j naming %s', async (body, path) => {
      const { call, calendarId } = fixture();
      const response = await call('POST', 'events', `/${calendarId}`, { body });
      expect(response.status).toBe(400);
      expect(response.body.code).toBe('ValidationFailed');
      expect(
        response.body.details.map((detail: any) =>
          detail.path
            .split('.')
            .slice(0, path.split('.').length)
            .join('.')
            .replace(/\[\d+\]$/, ''),
        ),
      ).toContain(path);
    });

    it('accepts an event of no length, or refuses it with 400', async () => {
      const { call, calendarId, subject } = fixture();
      const { status, body } = await call('POST', 'events', `/${calendarId}`, {
        body: { ...MEETING, end: MEETING.start },
      });
      expect(status).toBe(subject.differs.holdsZeroLength ? 200 : 400);
      if (status === 200) expect(body.end).toEqual(body.start);
    });

    it('shows the end of an event of no length alike in the answer and in a list, when it has a zone of its own', async () => {
      const { create, readAll, calendarId } = fixture();
      const title = `No length ${Date.now()}`;
      const at = (dateTime: string, timeZone: string) => ({ dateTime, timeZone });
      const start = at('2027-05-03T09:00:00', 'Europe/Berlin');
      const made = await create({ title, start, end: at('2027-05-03T03:00:00', 'America/New_York') });
      const window = { startDateTime: '2027-05-01T00:00:00Z', endDateTime: '2027-06-01T00:00:00Z' };
      const { items } = await readAll(`/${calendarId}`, { search: title, expandRecurrences: true, ...window });
      expect(items.map(({ end }) => end)).toEqual([made.end]);
    });

    it('refuses a write with a stale If-Match and takes the current one', async () => {
      const { create, call, calendarId } = fixture();
      const made = await create(MEETING);
      const path = `/${calendarId}/${made.id}`;
      const first = await call('PUT', 'events', path, { body: { title: 'One' }, headers: { 'if-match': made.etag } });
      expect(first.status).toBe(200);
      const stale = await call('PUT', 'events', path, { body: { title: 'Two' }, headers: { 'if-match': made.etag } });
      expect(stale.status).toBe(412);
      expect(stale.body.code).toBe('PreconditionFailed');
      expect((await call('DELETE', 'events', path, { headers: { 'if-match': `"${made.etag}"` } })).status).toBe(412);
      expect((await call('GET', 'events', path)).body.title).toBe('One');
      expect((await call('DELETE', 'events', path, { headers: { 'if-match': `"${first.body.etag}"` } })).status).toBe(
        200,
      );
    });

    it('deletes once; afterwards the event is unknown', async () => {
      const { create, call, calendarId } = fixture();
      const { id } = await create(MEETING);
      const path = `/${calendarId}/${id}`;
      expect((await call('DELETE', 'events', path)).body).toEqual({ success: true });
      for (const method of ['GET', 'DELETE']) expect((await call(method, 'events', path)).status).toBe(404);
      expect((await call('PUT', 'events', path, { body: { title: 'x' } })).status).toBe(404);
    });

    it('answers a repeated Idempotency-Key with the first answer, and creates once', async () => {
      const { call, calendarId, readAll } = fixture();
      const headers = { 'idempotency-key': `key-${Date.now()}` };
      const body = { ...MEETING, title: `Once ${Date.now()}` };
      const first = await call('POST', 'events', `/${calendarId}`, { body, headers });
      const again = await call('POST', 'events', `/${calendarId}`, { body, headers });
      expect(again.status).toBe(200);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(again.body).toEqual(first.body);
      const { items } = await readAll(`/${calendarId}`, { search: body.title });
      expect(items).toHaveLength(1);
      const other = await call('POST', 'events', `/${calendarId}`, { body: { ...body, title: 'Else' }, headers });
      expect(other.status).toBe(422);
      expect(other.body.code).toBe('IdempotencyKeyReused');
    });

    it('replaces extended properties as a whole and keeps private ones out of the public part', async () => {
      const { create, call, calendarId } = fixture();
      const made = await create({
        ...MEETING,
        publicExtendedProperties: { a: '1', b: '2' },
        privateExtendedProperties: { c: '3' },
      });
      const path = `/${calendarId}/${made.id}`;
      const changed = await call('PUT', 'events', path, { body: { publicExtendedProperties: { a: '9' } } });
      expect(changed.body).toMatchObject({ privateExtendedProperties: { c: '3' } });
      expect(changed.body.publicExtendedProperties).toEqual({ a: '9' });
      const cleared = await call('PUT', 'events', path, { body: { privateExtendedProperties: null } });
      expect(cleared.body.privateExtendedProperties).toEqual({});
    });

    it('keeps the wall time when the zone alone changes, of an event, a series and one that lasts all day', async () => {
      const { create, call, calendarId } = fixture();
      const inTokyo = { start: { timeZone: 'Asia/Tokyo' } };
      const put = async (id: string, body: object, query = {}) =>
        (await call('PUT', 'events', `/${calendarId}/${id}`, { body, query })).body;
      const times = {
        start: { dateTime: '2027-03-10T09:00:00+09:00', timeZone: 'Asia/Tokyo' },
        end: { dateTime: '2027-03-10T10:30:00+09:00', timeZone: 'Asia/Tokyo' },
      };
      expect(await put((await create(MEETING)).id, inTokyo)).toMatchObject(times);
      const series = await create({ ...MEETING, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      expect(await put(series.id, inTokyo)).toMatchObject({ ...times, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      const day = await create({ title: 'Day', start: { date: '2027-03-10' } });
      expect(await put(day.id, inTokyo)).toMatchObject({ start: { date: '2027-03-10' }, end: { date: '2027-03-11' } });
      const without = await call('POST', 'events', `/${calendarId}`, { body: { title: 'None', ...inTokyo } });
      expect([without.status, without.body.details?.[0]?.path]).toEqual([400, 'start.dateTime']);
    });

    it('holds the conference of a third party, or says that it cannot', async () => {
      const { create, call, calendarId, subject } = fixture();
      const conferenceData = { joinUrl: 'https://bridge.example.test/j/1', conferenceId: '1' };
      const made = await call('POST', 'events', `/${calendarId}`, { body: { ...MEETING, conferenceData } });
      const { id } = await create(MEETING);
      const changed = await call('PUT', 'events', `/${calendarId}/${id}`, { body: { conferenceData } });
      if (subject.differs.holdsConferences) {
        expect(made.body).toMatchObject({ conferenceData });
        expect(changed.body).toMatchObject({ conferenceData });
      } else {
        for (const { status, body } of [made, changed])
          expect([status, body.code]).toEqual([400, 'NotSupportedByProvider']);
      }
      const read = await call('GET', 'events', `/${calendarId}/${id}`);
      const echoed = await call('PUT', 'events', `/${calendarId}/${id}`, { body: read.body });
      expect([echoed.status, echoed.body.conferenceData]).toEqual([200, read.body.conferenceData]);
    });

    it('loses no edit of two writers at once', async () => {
      const { create, call, calendarId } = fixture();
      const { id } = await create(MEETING);
      const path = `/${calendarId}/${id}`;
      const responses = await Promise.all([
        call('PUT', 'events', path, { body: { title: 'Mine' } }),
        call('PUT', 'events', path, { body: { location: 'Theirs' } }),
        call('PUT', 'events', path, { body: { description: 'Both' } }),
      ]);
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await call('GET', 'events', path)).body).toMatchObject({
        title: 'Mine',
        location: 'Theirs',
        description: 'Both',
      });
    });

    it('answers 404 for ids that are none, calendar before event', async () => {
      const { call, calendarId } = fixture();
      for (const id of ['unknown', '..%2fx', '%0d%0aX', 'http:%2f%2f127.0.0.1%2f', 'x%3fy%23z', `x_20270101`]) {
        const response = await call('GET', 'events', `/${calendarId}/${id}`);
        expect({ id, status: response.status }).toEqual({ id, status: 404 });
      }
      expect((await call('GET', 'events', '/unknown/unknown')).body.message).toMatch(/calendar/i);
    });
  });
}
