import { FakeHost, hour, KIM, MARA, mondays, RAVI } from '../../../../testing/calendar-api-host.js';

let fixture: FakeHost;
beforeEach(() => {
  fixture = new FakeHost();
});

const at = (time: string) => `2026-12-01T${time}Z`;

describe('a list of events', () => {
  it('has the calendar at its head', () => {
    const { summary, timeZone, accessRole, defaultReminders, kind, items, updated } = fixture.events(MARA).list();
    expect({ summary, timeZone, accessRole, defaultReminders, kind, items, updated }).toEqual({
      kind: 'calendar#events',
      summary: MARA.email,
      timeZone: 'Europe/Lisbon',
      accessRole: 'owner',
      defaultReminders: [{ method: 'popup', minutes: 10 }],
      items: [],
      updated: '2026-11-21T09:00:00.000Z',
    });
  });

  it.each([
    [{ timeMin: at('10:00:00') }, []],
    [{ timeMin: at('09:59:59') }, ['event0']],
    [{ timeMin: '2026-12-01T10:59:59.999+01:00' }, ['event0']],
    [{ timeMax: at('09:00:00') }, []],
    [{ timeMax: at('09:00:01') }, ['event0']],
    [{ timeMin: at('09:15:00'), timeMax: at('09:30:00') }, ['event0']],
  ])('is bounded by %j: %j', (query, ids) => {
    fixture.events(MARA).insert({ id: 'event0', ...hour(1) });
    expect(fixture.events(MARA).ids(query)).toEqual(ids);
    expect(fixture.events(MARA).ids({ ...query, singleEvents: true })).toEqual(ids);
  });

  it('begins days at midnight of the calendar', () => {
    fixture.events(KIM).insert({ id: 'dai01', start: { date: '2026-12-24' }, end: { date: '2026-12-25' } });
    expect(fixture.events(KIM).ids({ timeMin: '2026-12-25T04:59:59Z' })).toEqual(['dai01']);
    expect(fixture.events(KIM).ids({ timeMin: '2026-12-25T05:00:00Z' })).toEqual([]);
  });

  it('of series shows those that take place inside of the bounds, or an exception of theirs', () => {
    const { insert, ids, patch } = fixture.events(RAVI);
    const { id } = insert(mondays());
    const within = { timeMin: '2027-01-04T00:00:00Z', timeMax: '2027-01-05T00:00:00Z' };
    expect(ids({ timeMin: '2026-12-15T00:00:00Z', timeMax: '2026-12-20T00:00:00Z' })).toEqual([]);
    expect(ids(within)).toEqual([]);
    const exception = `${id}_20261207T080000Z`;
    patch(exception, {
      start: { dateTime: '2027-01-04T09:00:00' },
      end: { dateTime: '2027-01-04T09:30:00' },
    });
    expect(ids(within)).toEqual([id, exception]);
  });

  it.each([
    [{ timeMin: '2026-12-01T00:00:00' }, '400 invalid Invalid value for: timeMin.'],
    [{ timeMax: '2026-12-01' }, '400 invalid Invalid value for: timeMax.'],
    [{ timeMin: at('10:00:00'), timeMax: at('10:00:00') }, '400 timeRangeEmpty The specified time range is empty.'],
    [{ orderBy: 'startTime' }, '400 invalid The requested ordering is not available for the particular query.'],
    [{ privateExtendedProperty: ['crm'] }, '400 invalid Invalid value for: privateExtendedProperty.'],
    [{ timeZone: 'Mars/Base' }, '400 invalid Invalid time zone value.'],
    [{ q: 'lunch' }, '501 notImplemented The sandbox does not offer reads of events with q.'],
    [{ pageToken: 'x' }, '400 invalid Invalid page token value.'],
    [{ syncToken: 'x' }, '400 invalid Invalid sync token value.'],
  ])('is refused with %j', (query, rejection) => {
    expect(fixture.events(MARA).refusal('list', '', null, query)).toBe(rejection);
  });

  it('is ordered as asked', () => {
    const { insert, ids } = fixture.events(MARA);
    insert({ id: 'late0', ...hour(3) });
    insert({ id: 'earli', ...hour(1) });
    insert({ id: 'middl', ...hour(2) });
    expect(ids()).toEqual(['late0', 'earli', 'middl']);
    expect(ids({ singleEvents: true, orderBy: 'startTime' })).toEqual(['earli', 'middl', 'late0']);
  });

  it('matches every property that is asked for', () => {
    const { insert, ids } = fixture.events(MARA);
    insert({ id: 'aaaa1', ...hour(1), extendedProperties: { private: { a: '1', b: '2' }, shared: { s: 'x=y' } } });
    insert({ id: 'aaaa2', ...hour(1), extendedProperties: { private: { a: '1' } } });
    expect(ids({ privateExtendedProperty: ['a=1'] })).toEqual(['aaaa1', 'aaaa2']);
    expect(ids({ privateExtendedProperty: ['a=1', 'b=2'] })).toEqual(['aaaa1']);
    expect(ids({ sharedExtendedProperty: ['s=x=y'] })).toEqual(['aaaa1']);
    expect(ids({ sharedExtendedProperty: ['a=1'] })).toEqual([]);
  });

  it('is cut to types of events and to one iCalUID', () => {
    const { insert, ids } = fixture.events(MARA);
    insert({ id: 'aaaa1', ...hour(1) });
    insert({ id: 'aaaa2', ...hour(1), eventType: 'focusTime', focusTimeProperties: {} });
    expect(ids({ eventTypes: ['focusTime', 'outOfOffice'] })).toEqual(['aaaa2']);
    expect(ids({ iCalUID: 'aaaa1@google.com' })).toEqual(['aaaa1']);
  });

  it('has deleted events when asked', () => {
    const { insert, delete: remove, ids, list } = fixture.events(MARA);
    insert({ id: 'aaaa1', ...hour(1), summary: 'Gone' });
    insert({ id: 'aaaa2', ...hour(1) });
    fixture.now += 60_000;
    remove('aaaa1');
    expect(ids()).toEqual(['aaaa2']);
    expect(list({ showDeleted: true }).items[0]).toMatchObject({ status: 'cancelled', summary: 'Gone' });
  });

  it('comes in pages of 250, 2,500 at most', () => {
    const { insert, list } = fixture.events(MARA);
    for (let count = 0; count < 2_501; count += 1) insert(hour(1));
    expect(list().items).toHaveLength(250);
    expect(list({ maxResults: 9_999 }).items).toHaveLength(2_500);
  });
});

describe('pages', () => {
  it('show one state to the end; the sync token tells of the rest', () => {
    const { insert, list, patch } = fixture.events(MARA);
    for (const id of ['aaaa1', 'aaaa2', 'aaaa3']) insert({ id, ...hour(1) });
    const first = list({ maxResults: 2 });
    expect(first).not.toHaveProperty('nextSyncToken');
    patch('aaaa3', { summary: 'Changed meanwhile' });
    insert({ id: 'aaaa4', ...hour(1) });
    const last = list({ maxResults: 2, pageToken: first.nextPageToken });
    expect(last.items.map(({ id, summary }: any) => [id, summary])).toEqual([['aaaa3', undefined]]);
    const delta = list({ maxResults: 2, syncToken: last.nextSyncToken });
    expect(delta.items.map(({ id }: any) => id)).toEqual(['aaaa3', 'aaaa4']);
  });

  it('go on with the same parameters only, for the same user, until they expire', () => {
    const { insert, list, refusal } = fixture.events(MARA);
    const calendarId = fixture.newCalendar(MARA);
    insert(hour(1));
    insert(hour(2));
    const { nextPageToken: pageToken } = list({ maxResults: 1 });
    const bad = '400 invalid Invalid page token value.';
    expect(refusal('list', '', null, { pageToken })).toBe(bad);
    expect(refusal('list', '', null, { pageToken, maxResults: 1, showDeleted: true })).toBe(bad);
    expect(fixture.events(RAVI).refusal('list', '', null, { pageToken, maxResults: 1 })).toBe(bad);
    expect(fixture.events(MARA, calendarId).refusal('list', '', null, { pageToken, maxResults: 1 })).toBe(bad);
    expect(list({ pageToken, maxResults: 1 }).items).toHaveLength(1);
    fixture.api.expirePageTokens();
    expect(refusal('list', '', null, { pageToken, maxResults: 1 })).toBe(bad);
  });
});

describe('a sync', () => {
  it('tells the state of what has changed, and of what is gone the least', () => {
    const { insert, patch, delete: remove, list } = fixture.events(MARA);
    const { id } = insert({ ...mondays(), id: 'seriesaa01' });
    for (const event of ['aaaa1', 'aaaa2', 'aaaa3']) insert({ id: event, ...hour(1), summary: 'Before' });
    const { nextSyncToken } = list();
    expect(list({ syncToken: nextSyncToken }).items).toEqual([]);
    patch('aaaa2', { summary: 'After' });
    remove('aaaa1');
    remove(`${id}_20261221T080000Z`);
    const delta = list({ syncToken: nextSyncToken });
    expect(delta.items).toEqual([
      expect.objectContaining({ id: 'aaaa2', summary: 'After', status: 'confirmed' }),
      { kind: 'calendar#event', etag: expect.any(String), id: 'aaaa1', status: 'cancelled' },
      {
        kind: 'calendar#event',
        etag: expect.any(String),
        id: `${id}_20261221T080000Z`,
        status: 'cancelled',
        recurringEventId: id,
        originalStartTime: { dateTime: '2026-12-21T08:00:00Z', timeZone: 'Europe/Berlin' },
      },
    ]);
    expect(list({ syncToken: delta.nextSyncToken }).items).toEqual([]);
    expect(list({ syncToken: nextSyncToken, showDeleted: true }).items[1].summary).toBe('Before');
    expect(fixture.violations).toEqual([]);
  });

  it('is not confined to the bounds of the first read', () => {
    const { list, insert } = fixture.events(MARA);
    const { nextSyncToken } = list({ timeMin: at('00:00:00'), timeMax: at('23:00:00') });
    insert({ id: 'outside', ...hour(20) });
    expect(list({ syncToken: nextSyncToken }).items.map(({ id }: any) => id)).toEqual(['outside']);
  });

  it.each([
    { singleEvents: true, orderBy: 'startTime' },
    { privateExtendedProperty: ['a=1'] },
    { sharedExtendedProperty: ['a=1'] },
    { iCalUID: 'x' },
  ])('does not follow a list with %j', (query) => {
    const list = fixture.events(MARA).list(query);
    expect(list).not.toHaveProperty('nextSyncToken');
    const { nextSyncToken: syncToken } = fixture.events(MARA).list();
    expect(fixture.events(MARA).refusal('list', '', null, { ...query, syncToken })).toMatch(
      /^400 invalid The parameter \w+ cannot be combined with a sync token\.$/,
    );
  });

  it.each([{ timeMin: at('00:00:00') }, { timeMax: at('00:00:00') }, { showDeleted: false }])(
    'is refused with %j',
    (query) => {
      const { nextSyncToken: syncToken } = fixture.events(MARA).list();
      expect(fixture.events(MARA).refusal('list', '', null, { ...query, syncToken })).toMatch(/^400 invalid/);
    },
  );

  it('is for the same user, calendar and parameters', () => {
    const { nextSyncToken: syncToken } = fixture.events(MARA).list();
    const bad = '400 invalid Invalid sync token value.';
    const calendarId = fixture.newCalendar(MARA);
    expect(fixture.events(RAVI).refusal('list', '', null, { syncToken })).toBe(bad);
    expect(fixture.events(MARA, calendarId).refusal('list', '', null, { syncToken })).toBe(bad);
    expect(fixture.events(MARA).refusal('list', '', null, { syncToken, singleEvents: true })).toBe(bad);
    expect(fixture.events(MARA).refusal('list', '', null, { syncToken, eventTypes: ['default'] })).toBe(bad);
    expect(fixture.violations).toEqual([]);
    fixture.events(MARA).list({ syncToken, maxResults: 7 });
    expect(fixture.violations).toHaveLength(1);
  });

  it('ends with its token: by user, by calendar, by a change of access', () => {
    const dead = '410 fullSyncRequired Sync token is no longer valid, a full sync is required.';
    const calendarId = fixture.newCalendar(MARA);
    fixture.share(MARA, calendarId, RAVI.email, 'reader');
    const tokenOf = (user: typeof MARA, calendar = 'primary') => fixture.events(user, calendar).list().nextSyncToken;
    const [mara, shared, ravi] = [tokenOf(MARA), tokenOf(MARA, calendarId), tokenOf(RAVI, calendarId)];
    expect(fixture.api.expireSyncTokens({ email: MARA.email, calendarId: MARA.email })).toBe(1);
    expect(fixture.events(MARA).refusal('list', '', null, { syncToken: mara })).toBe(dead);
    expect(tokenOf(MARA)).not.toBe(mara);
    fixture.share(MARA, calendarId, RAVI.email, 'writer');
    expect(fixture.events(RAVI, calendarId).refusal('list', '', null, { syncToken: ravi })).toBe(dead);
    expect(fixture.events(MARA, calendarId).list({ syncToken: shared }).items).toEqual([]);
    expect(fixture.api.expireSyncTokens({})).toBe(3);
    expect(fixture.events(MARA, calendarId).refusal('list', '', null, { syncToken: shared })).toBe(dead);
  });

  it('of exceptions that lost their place tells that they are gone', () => {
    const { insert, patch, list } = fixture.events(RAVI);
    const { id } = insert(mondays());
    const exception = `${id}_20261221T080000Z`;
    patch(exception, { summary: 'Changed' });
    const { nextSyncToken: syncToken } = list();
    patch(id, { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2'] });
    expect(list({ syncToken }).items).toMatchObject([{ id }, { id: exception, status: 'cancelled' }]);
  });

  describe('of single events', () => {
    const suffixes = (items: any[], status: string) =>
      items.filter((item) => item.status === status).map(({ id }) => id.split('_')[1] ?? id);

    it('tells of every instance of a changed series, and of those that are no more', () => {
      const { insert, patch, list } = fixture.events(RAVI);
      const { id } = insert(mondays());
      const { nextSyncToken: syncToken } = list({ singleEvents: true });
      patch(id, { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2'] });
      const { items } = list({ singleEvents: true, syncToken });
      expect(suffixes(items, 'confirmed')).toEqual(['20261130T080000Z', '20261207T080000Z']);
      expect(suffixes(items, 'cancelled')).toEqual(['20261214T080000Z', '20261221T080000Z']);
    });

    it('tells of a deleted series half a year around today', () => {
      const { insert, delete: remove, list } = fixture.events(RAVI);
      const { id } = insert(mondays({ recurrence: ['RRULE:FREQ=MONTHLY'] }));
      const { nextSyncToken: syncToken } = list({ singleEvents: true });
      remove(id);
      const { items } = list({ singleEvents: true, syncToken });
      expect(suffixes(items, 'cancelled')).toEqual([
        '20261130T080000Z',
        '20261230T080000Z',
        '20270130T080000Z',
        '20270330T070000Z',
        '20270430T070000Z',
      ]);
    });

    it('tells when a single event has become a series', () => {
      const { insert, patch, list } = fixture.events(RAVI);
      const { id } = insert(mondays({ recurrence: undefined }));
      const { nextSyncToken: syncToken } = list({ singleEvents: true });
      patch(id, { recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'] });
      const { items } = list({ singleEvents: true, syncToken });
      expect(suffixes(items, 'confirmed')).toEqual(['20261130T080000Z', '20261207T080000Z']);
      expect(suffixes(items, 'cancelled')).toEqual([id]);
    });
  });
});
