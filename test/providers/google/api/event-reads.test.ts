import { ME, OTHER, openGoogleAccount, type GoogleAccount } from './google-account.js';
import { at, hour } from '../../../support/berlin-times.js';

const HOLIDAYS = 'en.uk#holiday@group.v.calendar.google.com';
const JUNE = { startDateTime: '2027-06-01T00:00:00Z', endDateTime: '2027-07-01T00:00:00Z' };

describe('reading events of Google', () => {
  let a: GoogleAccount;
  let calendarId: string;

  beforeAll(async () => {
    a = await openGoogleAccount();
  });

  beforeEach(async () => {
    calendarId = await a.newCalendar();
  });

  afterEach(() => a.sandbox.clearFaults());

  afterAll(() => a.stop());

  const ids = async (query: object) => (await a.list(calendarId, { ...query })).items.map(({ id }) => id).sort();

  it.each([
    [
      'workingLocation',
      {
        summary: 'Home',
        start: { date: '2027-06-01' },
        end: { date: '2027-06-02' },
        visibility: 'public',
        transparency: 'transparent',
        workingLocationProperties: { type: 'homeOffice', homeOffice: {} },
      },
    ],
    [
      'birthday',
      {
        summary: 'Ada',
        start: { date: '2027-06-03' },
        end: { date: '2027-06-04' },
        visibility: 'private',
        transparency: 'transparent',
        recurrence: ['RRULE:FREQ=YEARLY'],
        birthdayProperties: { type: 'birthday' },
      },
    ],
  ])('shows an event of type %s as any other, which can be changed and deleted', async (eventType, event) => {
    const { id } = await a.google('calendar.events.insert', { calendarId: ME }, { ...event, eventType });
    const { body } = await a.events('GET', ME, `/${id}`);
    expect(body).toMatchObject({ eventType: 'default', isAllDay: true, title: event.summary });
    expect(await a.change(ME, id, { ...body, colorId: '3' })).toMatchObject({ colorId: '3', eventType: 'default' });
    expect((await a.events('DELETE', ME, `/${id}`)).status).toBe(200);
  });

  describe('calendars of others', () => {
    let shared: string;
    let secretId: string;
    const role = (name: string) =>
      a.google(
        'calendar.acl.insert',
        { calendarId: shared },
        { role: name, scope: { type: 'user', value: ME } },
        OTHER,
      );

    beforeEach(async () => {
      const calendar = { summary: 'Shared', timeZone: 'Asia/Tokyo' };
      shared = (await a.google('calendar.calendars.insert', {}, calendar, OTHER)).id;
      const times = { start: at('2027-06-05T10:00:00'), end: at('2027-06-05T11:00:00') };
      const secret = { summary: 'Secret', description: 'Hidden', visibility: 'private', ...times };
      secretId = (await a.google('calendar.events.insert', { calendarId: shared }, secret, OTHER)).id;
      await role('reader');
      await a.google('calendar.calendarList.insert', {}, { id: shared });
    });

    it.each(['reader', 'freeBusyReader'])('show to a %s when private events are, and no more', async (name) => {
      await role(name);
      const { items } = await a.list(shared);
      expect(items).toEqual([expect.objectContaining({ id: secretId, title: '', visibility: 'private' })]);
      expect(items[0]).not.toHaveProperty('description');
    });

    it('take no writes of a reader', async () => {
      const writes = await Promise.all([
        a.events('POST', shared, '', { body: { title: 'x', ...hour('2027-06-05') } }),
        a.events('PUT', shared, `/${secretId}`, { body: { title: 'x' } }),
        a.events('DELETE', shared, `/${secretId}`),
      ]);
      expect(writes.map(({ status, body }) => `${status} ${body.code}`)).toEqual(Array(3).fill('403 ReadOnlyCalendar'));
    });

    it('organize what a writer makes there, and invite the writer', async () => {
      await role('writer');
      const made = await a.create(shared, { title: 'Made', ...hour('2027-06-07'), attendees: [{ email: ME }] });
      expect(made.organizer).toMatchObject({ email: shared, isSelf: true });
      const answered = await a.events('POST', ME, `/${made.id}/rsvp`, { body: { responseStatus: 'tentative' } });
      expect(answered.body).toEqual({ success: true });
      const { body } = await a.events('GET', shared, `/${made.id}`);
      expect(body.attendees).toEqual([expect.objectContaining({ email: ME, responseStatus: 'tentative' })]);
    });
  });

  describe('ids', () => {
    it('of calendars may hold any sign, and an alias', async () => {
      const { items } = await a.list(HOLIDAYS, { pageSize: 2 });
      expect(items.length).toBeGreaterThan(2);
      expect(items[0]).toMatchObject({ isAllDay: true, transparency: 'transparent', visibility: 'public' });
      const body = { title: 'x', ...hour('2027-06-05') };
      expect((await a.events('POST', HOLIDAYS, '', { body })).body.code).toBe('ReadOnlyCalendar');
      const [one, two] = [await a.create('primary', body), await a.create('primary', body)];
      expect((await a.list('primary', { pageSize: 1 })).items.map(({ id }) => id)).toEqual(
        expect.arrayContaining([one.id, two.id]),
      );
      expect((await a.events('GET', ME, `/${one.id}`)).status).toBe(200);
    });

    it.each(['a/b@group.calendar.google.com', 'a%2Fb', '..', '?x', 'ü', 'x'.repeat(1_500), '%00'])(
      'of no calendar are answered with 404: %j',
      async (id) => {
        const { status, body } = await a.events('GET', id);
        expect([status, body.code]).toEqual([404, 'NotFound']);
      },
    );

    it.each(['a/b', '..%2f..', '%00', 'x'.repeat(1_100), 'ü', 'abc_20270101', '_', 'abc_'])(
      'of no event are answered with 404: %j',
      async (id) => {
        const { status, body } = await a.events('GET', calendarId, `/${encodeURIComponent(id)}`);
        expect([status, body.code]).toEqual([404, 'NotFound']);
      },
    );
  });

  it('searches for signs as they are', async () => {
    const titles = ['100% "sure"', 'a_b', 'Straße', 'ÅNGSTRÖM', '日本語', 'plus+&=?#', ''];
    for (const title of titles) await a.create(calendarId, { title, ...hour('2027-06-01') });
    const found = async (search: string) => (await a.list(calendarId, { search })).items.map(({ title }) => title);
    for (const search of ['100%', '%', '"SURE"']) expect(await found(search)).toEqual(['100% "sure"']);
    expect(await found('_')).toEqual(['a_b']);
    expect(await found('STRASSE')).toEqual(['Straße']);
    expect(await found('ångström')).toEqual(['ÅNGSTRÖM']);
    expect(await found('本')).toEqual(['日本語']);
    expect(await found('+&=?#')).toEqual(['plus+&=?#']);
    for (const search of ['*', '.*', '-sure']) expect(await found(search)).toEqual([]);
  });

  it.each(['startDateTime', 'updatedDateTime', undefined])(
    'walks event by event over a changed series as in one page, ordered by %s',
    async (orderBy) => {
      const { id } = await a.create(calendarId, {
        title: 'Series',
        ...hour('2027-06-01'),
        recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
      });
      for (const title of ['x', 'y', 'z']) await a.create(calendarId, { title, ...hour('2027-06-02') });
      await a.create(calendarId, { title: 'Day', start: { date: '2027-06-02' }, isAllDay: true });
      await a.change(calendarId, `${id}_20270604T080000Z`, { title: 'Early', ...hour('2027-06-02') });
      await a.events('DELETE', calendarId, `/${id}_20270603T080000Z`);
      const query = { ...JUNE, expandRecurrences: true, orderBy };
      const { items } = await a.list(calendarId, query);
      expect(items).toHaveLength(8);
      expect((await a.list(calendarId, { ...query, pageSize: 1 })).items).toEqual(items);
    },
  );

  it('filters deleted instances like anything else', async () => {
    const { id, iCalUid } = await a.create(calendarId, {
      title: 'Series',
      ...hour('2027-06-01'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    });
    const single = await a.create(calendarId, { title: 'Single', ...hour('2027-06-02') });
    const deleted = `${id}_20270602T080000Z`;
    await a.events('DELETE', calendarId, `/${deleted}`);
    expect(await ids({ iCalUid })).toEqual([id, deleted].sort());
    const gone = await a.create(calendarId, { title: 'Gone', ...hour('2027-06-02') });
    await a.events('DELETE', calendarId, `/${gone.id}`);
    const included = await ids({ isCancelled: true });
    expect(included).toEqual(expect.arrayContaining([id, single.id, deleted, gone.id]));
    const expanded = await ids({ ...JUNE, isCancelled: true, expandRecurrences: true });
    expect(expanded).toEqual(expect.arrayContaining([`${id}_20270601T080000Z`, deleted, single.id, gone.id]));
    expect(await ids({ ...JUNE, expandRecurrences: true })).not.toContain(deleted);
    expect(await ids({ isCancelled: false })).toEqual([id, single.id].sort());
    expect(await ids({ updatedAfter: '2020-01-01T00:00:00Z' })).toEqual([id, single.id].sort());
    expect(await ids({ updatedAfter: '2090-01-01T00:00:00Z' })).toEqual([]);
  });

  it('tells of instances that leave a filter, one by one and with their series', async () => {
    const { id } = await a.create(calendarId, {
      title: 'Series',
      ...hour('2027-06-03'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
      publicExtendedProperties: { k: 'v' },
    });
    const first = `${id}_20270603T080000Z`;
    const own = `${id}_20270604T080000Z`;
    await a.change(calendarId, own, { title: 'Own', isAllDay: true, publicExtendedProperties: { k: 'w' } });
    const query = { ...JUNE, expandRecurrences: true };
    expect(await ids({ ...query, isAllDay: true })).toEqual([own]);
    expect(await ids({ ...query, search: 'own' })).toEqual([own]);
    expect(await ids({ ...query, metadataFilters: '{"public":{"k":"w"}}' })).toEqual([own]);
    const properties = (k: string | null) => ({ extendedProperties: { shared: { k } } });
    let { nextSyncToken } = await a.list(calendarId, { ...query, metadataFilters: '{"k":"v"}' });
    const listTwice = async () => {
      const changes = await a.list(calendarId, { syncToken: nextSyncToken });
      nextSyncToken = changes.nextSyncToken;
      return changes.items.map((item) => [item.id, item.isCancelled]);
    };
    await a.google('calendar.events.patch', { calendarId, eventId: first }, properties(null));
    expect(await listTwice()).toEqual([[first, true]]);
    await a.google('calendar.events.patch', { calendarId, eventId: id }, properties('z'));
    expect(await listTwice()).toEqual([[`${id}_20270605T080000Z`, true]]);
  });

  describe('nonsense', () => {
    const replaced = (methodId: string, body: unknown) =>
      a.sandbox.fault({ methodId }, { type: 'replace', body: body as object });
    let good: any;

    beforeEach(async () => {
      const { id } = await a.create(calendarId, { title: 'Good', ...hour('2027-06-01') });
      good = await a.google('calendar.events.get', { calendarId, eventId: id });
    });

    const parts: [string, () => unknown, number][] = [
      ['no start', () => ({ ...good, start: undefined }), 502],
      ['numbers for texts', () => ({ ...good, summary: 7, start: { dateTime: 7 }, end: [] }), 502],
      ['a day that is none', () => ({ ...good, start: { date: '2027-02-30' } }), 502],
      ['a deletion', () => ({ id: good.id, status: 'cancelled' }), 404],
      [
        'a very long rule',
        () => ({ ...good, summary: 'x'.repeat(10_000), recurrence: [`RRULE:${'X'.repeat(10_000)}`] }),
        200,
      ],
      ['an end before the start', () => ({ ...good, end: { dateTime: '2027-05-01T10:00:00Z' } }), 200],
      ['no end', () => ({ ...good, end: undefined }), 200],
      ['an unspecified end', () => ({ ...good, endTimeUnspecified: true }), 200],
      ['the last day of all', () => ({ ...good, start: { date: '9999-12-31' }, end: { date: '9999-12-31' } }), 200],
      [
        'wrong kinds of parts',
        () => ({ ...good, attendees: [null, { email: 5 }], extendedProperties: [], reminders: 'x' }),
        200,
      ],
      [
        'a rule of seconds since 1970',
        () => ({ ...good, start: { dateTime: '1970-01-01T00:00:00Z' }, recurrence: ['RRULE:FREQ=SECONDLY'] }),
        200,
      ],
    ];

    it('N51 in ids, texts and tags, half of a surrogate pair costs nothing else', async () => {
      const half = { ...good, summary: 'x\ud800', etag: '"\ud800"' };
      await replaced('calendar.events.get', half);
      const { body } = await a.events('GET', calendarId, `/${good.id}`);
      expect(body).toMatchObject({ title: 'x\ufffd' });
      expect(body).not.toHaveProperty('etag');
      const change = await a.events('PUT', calendarId, `/${good.id}`, { body: { title: 'Better' } });
      expect(change.status).toBe(200);
      await a.sandbox.clearFaults();
      const items = [half, { ...good, id: 'x\ud800', recurringEventId: 'y\ud800' }];
      await replaced('calendar.events.list', { items, nextSyncToken: 'x' });
      const listed = await a.events('GET', calendarId, '', { query: JUNE });
      expect([listed.status, listed.body.data[0].title]).toEqual([200, 'x\ufffd']);
    });

    it.each(parts)('N51 in an event, %s, costs nothing else', async (_name, event, status) => {
      await replaced('calendar.events.get', event());
      expect((await a.events('GET', calendarId, `/${good.id}`)).status).toBe(status);
      await a.sandbox.clearFaults();
      await replaced('calendar.events.list', { items: [event(), { ...good, id: 'neighbour' }], nextSyncToken: 'x' });
      for (const query of [{}, JUNE, { ...JUNE, expandRecurrences: true, orderBy: 'startDateTime' }]) {
        const { status, body } = await a.events('GET', calendarId, '', { query });
        expect(status).toBe(200);
        expect(body.data.map(({ id }: any) => id)).toContain('neighbour');
      }
    });

    it.each(['event', null, { id: '' }])('N51 takes %j neither for an event nor for none', async (event) => {
      await replaced('calendar.events.get', event);
      await replaced('calendar.events.list', { items: [good, event], nextSyncToken: 'x' });
      for (const path of [`/${good.id}`, '']) {
        const { status, body } = await a.events('GET', calendarId, path, path === '' ? { query: JUNE } : {});
        expect([status, body.code]).toEqual([502, 'ProviderUnavailable']);
      }
    });

    it('N51 keeps the clock and the name of a zone that nobody knows', async () => {
      const timeZone = 'Mars/Olympus';
      const time = (dateTime: string) => ({ dateTime, timeZone });
      const event = { ...good, start: time('2027-06-01T10:00:00+02:00'), end: time('2027-06-01T11:00:00+02:00') };
      await replaced('calendar.events.get', event);
      const { body } = await a.events('GET', calendarId, `/${good.id}`);
      expect(body.start).toEqual({ dateTime: '2027-06-01T10:00:00', timeZone });
    });

    it.each([{ items: {} }, { items: 'x' }, 'text', [], null])(
      'N51 does not take %j for an empty list',
      async (body) => {
        const { nextSyncToken } = await a.list(calendarId, JUNE);
        await replaced('calendar.events.list', body);
        for (const query of [{}, JUNE, { syncToken: nextSyncToken }]) {
          const response = await a.events('GET', calendarId, '', { query });
          expect([response.status, response.body.code]).toEqual([502, 'ProviderUnavailable']);
        }
      },
    );
  });

  it('asks for free and busy times by the fifty calendars and sixty days, and joins what it hears', async () => {
    const other = await a.newCalendar();
    const day = { start: at('2027-01-01T00:00:00', 'UTC'), end: at('2027-01-02T00:00:00', 'UTC') };
    await a.create(calendarId, { title: 'Always', ...day, recurrence: ['RRULE:FREQ=DAILY;COUNT=200'] });
    const calendars = await Promise.all(Array.from({ length: 51 }, () => a.newCalendar()));
    const ask = (calendarIds: string[], more = {}) =>
      a.service.call('POST', `/v1/freeBusy/${a.accountId}`, {
        body: {
          startDateTime: '2027-01-10T00:00:00Z',
          endDateTime: '2027-06-10T00:00:00Z',
          timeZone: 'UTC',
          calendarIds,
          ...more,
        },
      });
    await a.sandbox.clearRequests();
    const { status, body } = await ask([calendarId, other, 'primary', ...calendars]);
    expect([status, body.length]).toEqual([200, 54]);
    expect(await a.sandbox.requests({ methodId: 'calendar.freebusy.query' })).toHaveLength(6);
    const time = (dateTime: string) => expect.objectContaining({ dateTime });
    expect(body.slice(0, 3).map(({ calendarId: id }: any) => id)).toEqual([calendarId, other, 'primary']);
    expect(body[0].busySlots).toEqual([{ start: time('2027-01-10T00:00:00Z'), end: time('2027-06-10T00:00:00Z') }]);
    expect(body[1].busySlots).toEqual([]);
    const unknown = await ask([calendarId, 'nobody@example.test']);
    expect([unknown.status, unknown.body.message]).toEqual([404, expect.stringContaining('nobody@example.test')]);
    const partial = await ask([calendarId, 'nobody@example.test'], { allowPartial: true });
    expect(partial.body[1]).toEqual({
      calendarId: 'nobody@example.test',
      error: expect.objectContaining({ code: 'NotFound' }),
    });
  });
});
