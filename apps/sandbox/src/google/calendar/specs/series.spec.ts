import { FakeHost, hour, MARA, mondays, RAVI } from '../../../../testing/calendar-api-host.js';

let fixture: FakeHost;
beforeEach(() => {
  fixture = new FakeHost();
});

const berlin = (local: string) => ({ dateTime: `${local}+01:00`, timeZone: 'Europe/Berlin' });

describe('a series', () => {
  it('is told as it was written, its instances by their original starts', () => {
    const { insert, get, instances } = fixture.events(RAVI);
    const series = insert(mondays());
    expect(series).toMatchObject({
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=4'],
      start: berlin('2026-11-30T09:00:00'),
    });
    const instance = get(`${series.id}_20261207T080000Z`);
    expect(instance).toMatchObject({
      id: `${series.id}_20261207T080000Z`,
      etag: series.etag,
      recurringEventId: series.id,
      originalStartTime: berlin('2026-12-07T09:00:00'),
      start: berlin('2026-12-07T09:00:00'),
      end: berlin('2026-12-07T09:30:00'),
      iCalUID: series.iCalUID,
    });
    expect(instance).not.toHaveProperty('recurrence');
    expect(instances(series.id).items.map(({ id }: any) => id.split('_')[1])).toEqual([
      '20261130T080000Z',
      '20261207T080000Z',
      '20261214T080000Z',
      '20261221T080000Z',
    ]);
  });

  it('of days has instances named by days', () => {
    const { insert, instances } = fixture.events(MARA);
    const { id } = insert({
      start: { date: '2026-12-05' },
      end: { date: '2026-12-06' },
      recurrence: ['RRULE:FREQ=YEARLY;COUNT=2'],
    });
    expect(instances(id).items).toMatchObject([
      { id: `${id}_20261205`, start: { date: '2026-12-05' }, end: { date: '2026-12-06' } },
      { id: `${id}_20271205`, originalStartTime: { date: '2027-12-05' } },
    ]);
  });

  it('keeps its time of day across a change of the clocks', () => {
    const { insert, instances } = fixture.events(RAVI);
    const { id } = insert({
      start: { dateTime: '2026-03-28T09:00:00', timeZone: 'Europe/Berlin' },
      end: { dateTime: '2026-03-28T10:00:00', timeZone: 'Europe/Berlin' },
      recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
    });
    expect(instances(id).items.map(({ start }: any) => start.dateTime)).toEqual([
      '2026-03-28T09:00:00+01:00',
      '2026-03-29T09:00:00+02:00',
    ]);
    expect(instances(id).items[1].id).toBe(`${id}_20260329T070000Z`);
  });

  it('counts RDATE and EXDATE', () => {
    const { insert, instances, get, refusal } = fixture.events(RAVI);
    const { id } = insert(
      mondays({
        recurrence: [
          'RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3',
          'EXDATE;TZID=Europe/Berlin:20261207T090000',
          'RDATE;TZID=Europe/Berlin:20261208T090000',
        ],
      }),
    );
    expect(instances(id).items.map(({ start }: any) => start.dateTime.slice(5, 10))).toEqual([
      '11-30',
      '12-08',
      '12-14',
    ]);
    expect(refusal('get', `${id}_20261207T080000Z`)).toBe('404 notFound Not Found');
    expect(get(`${id}_20261208T080000Z`).recurringEventId).toBe(id);
  });

  it.each([
    ['20261201T080000Z', 'no instance'],
    ['20261207', 'a date, of a timed series'],
    ['20261207T080000', 'a local time'],
    ['20261207t080000z', 'lower case'],
  ])('has no instance %s: %s', (suffix) => {
    const { insert, refusal } = fixture.events(RAVI);
    const { id } = insert(mondays());
    expect(refusal('get', `${id}_${suffix}`)).toBe('404 notFound Not Found');
  });

  const timed = (recurrence: string[], timeZone: string | null = 'Europe/Berlin') => ({
    start: { dateTime: '2026-11-30T09:00:00+01:00', timeZone },
    end: { dateTime: '2026-11-30T09:30:00+01:00', timeZone },
    recurrence,
  });
  it.each([
    [timed(['RRULE:FREQ=DAILY'], null), '400 required Missing time zone definition for start time.'],
    [timed(['DTSTART:20261130T090000Z', 'RRULE:FREQ=DAILY']), '400 invalid Invalid recurrence rule.'],
    [timed(['DTEND:20261130T090000Z', 'RRULE:FREQ=DAILY']), '400 invalid Invalid recurrence rule.'],
    [timed(['RRULE:FREQ=DAILY\r\nDTSTART:20000101']), '400 invalid Invalid recurrence rule.'],
    [timed(['RRULE:FREQ=OFTEN']), '400 invalid Invalid recurrence rule.'],
    [timed(['RRULE:FREQ=DAILY;COUNT=2;UNTIL=20270101T000000Z']), '400 invalid Invalid recurrence rule.'],
    [timed(['RRULE:FREQ=DAILY;COUNT=0']), '400 invalid Invalid recurrence rule.'],
    [timed(['FREQ=DAILY']), '400 invalid Invalid recurrence rule.'],
    [timed(['EXDATE:20261130T080000Z']), '400 invalid Invalid recurrence rule.'],
    [timed(['RRULE:FREQ=DAILY', 'EXDATE:someday']), '400 invalid Invalid recurrence rule.'],
    [timed(['RRULE:FREQ=DAILY', 'EXDATE;TZID=Mars/Base:20261130T090000']), '400 invalid Invalid recurrence rule.'],
    [
      timed(['RRULE:FREQ=DAILY', `EXDATE:${Array(5_000).fill('20261130T080000Z').join(',')}`]),
      '400 invalid A provided value exceeds the allowed size limit.',
    ],
    [
      { start: { date: '2026-11-30' }, end: { date: '2026-12-01' }, recurrence: ['RRULE:FREQ=HOURLY'] },
      '400 invalid Invalid recurrence rule.',
    ],
  ])('is refused (%#)', (body, rejection) => {
    expect(fixture.events(RAVI).refusal('insert', '', body)).toBe(rejection);
  });

  it('ends being one when its recurrence is taken away', () => {
    const { insert, patch, refusal, ids } = fixture.events(RAVI);
    const { id } = insert(mondays());
    expect(patch(id, { recurrence: null })).not.toHaveProperty('recurrence');
    expect(refusal('get', `${id}_20261207T080000Z`)).toBe('404 notFound Not Found');
    expect(refusal('instances', id)).toBe('400 invalid The event is not a recurring event.');
    expect(ids({ singleEvents: true })).toEqual([id]);
  });

  it('without end has an answer of bounded size', () => {
    const { insert, list } = fixture.events(RAVI);
    insert(mondays({ recurrence: ['RRULE:FREQ=SECONDLY'] }));
    insert(mondays({ recurrence: ['RRULE:FREQ=DAILY'] }));
    let query: Record<string, any> = { singleEvents: true, maxResults: 2_500 };
    let count = 0;
    for (;;) {
      const page = list(query);
      count += page.items.length;
      if (page.nextPageToken === undefined) break;
      query = { ...query, pageToken: page.nextPageToken };
    }
    // Two years of days, and as many seconds as one series may have.
    expect(count).toBeGreaterThan(700);
    expect(count).toBeLessThan(11_000);
  });
});

describe('an exception', () => {
  it('keeps its id and its place when it is moved', () => {
    const { insert, patch, get, ids } = fixture.events(RAVI);
    const series = insert(mondays());
    const id = `${series.id}_20261214T080000Z`;
    fixture.now += 60_000;
    const moved = patch(id, {
      summary: 'Weekly sync (moved)',
      start: { dateTime: '2026-12-15T14:00:00' },
      end: { dateTime: '2026-12-15T14:30:00' },
    });
    expect(moved).toMatchObject({
      id,
      sequence: 1,
      recurringEventId: series.id,
      iCalUID: series.iCalUID,
      originalStartTime: berlin('2026-12-14T09:00:00'),
      start: berlin('2026-12-15T14:00:00'),
    });
    expect(get(series.id).etag).toBe(series.etag);
    const week = { timeMin: '2026-12-14T00:00:00+01:00', timeMax: '2026-12-21T00:00:00+01:00', singleEvents: true };
    expect(ids(week)).toEqual([id]);
    expect(ids({ ...week, timeMax: '2026-12-15T00:00:00+01:00' })).toEqual([]);
  });

  it('cannot have a recurrence of its own', () => {
    const { insert, refusal } = fixture.events(RAVI);
    const { id } = insert(mondays());
    expect(refusal('patch', `${id}_20261207T080000Z`, { recurrence: ['RRULE:FREQ=DAILY'] })).toMatch(/^400 invalid/);
  });

  it('that is deleted is a cancelled one, told by lists of series only', () => {
    const { insert, delete: remove, get, ids, list, refusal, instances, patch } = fixture.events(RAVI);
    const { id } = insert(mondays());
    const gone = `${id}_20261221T080000Z`;
    remove(gone);
    expect(refusal('delete', gone)).toBe('410 deleted Resource has been deleted');
    expect(get(gone)).toMatchObject({ status: 'cancelled', recurringEventId: id });
    expect(ids()).toEqual([id, gone]);
    expect(ids({ singleEvents: true })).not.toContain(gone);
    expect(list({ singleEvents: true }).items).toHaveLength(3);
    expect(ids({ singleEvents: true, showDeleted: true })).toContain(gone);
    expect(instances(id).items).toHaveLength(3);
    expect(instances(id, { showDeleted: true }).items).toHaveLength(4);
    expect(patch(gone, { status: 'confirmed' }).status).toBe('confirmed');
    expect(instances(id).items).toHaveLength(4);
  });

  it.each([
    ['another rule', { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2'] }, ['20261207T080000Z']],
    ['another start', { start: berlin('2026-11-30T10:00:00'), end: berlin('2026-11-30T10:30:00') }, []],
    ['another length', { end: berlin('2026-11-30T10:00:00') }, ['20261207T080000Z', '20261214T080000Z']],
  ])('goes when %s of the series leaves it no place', (_name, change, left) => {
    const { insert, patch, list } = fixture.events(RAVI);
    const { id } = insert(mondays());
    for (const suffix of ['20261207T080000Z', '20261214T080000Z']) patch(`${id}_${suffix}`, { summary: 'Changed' });
    patch(id, change);
    const changed = list().items.filter(({ summary }: any) => summary === 'Changed');
    expect(changed.map((event: any) => event.id)).toEqual(left.map((suffix) => `${id}_${suffix}`));
  });

  it('that lost its place is a plain instance when the place comes back', () => {
    const { insert, patch, get } = fixture.events(RAVI);
    const { id } = insert(mondays());
    const exception = `${id}_20261221T080000Z`;
    patch(exception, { summary: 'Changed' });
    patch(id, { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2'] });
    expect(get(exception).status).toBe('cancelled');
    patch(id, { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=5'] });
    expect(get(exception)).toMatchObject({ status: 'confirmed', summary: 'Weekly sync' });
  });

  it('goes with its series', () => {
    const { insert, patch, delete: remove, get, refusal, ids } = fixture.events(RAVI);
    const { id } = insert(mondays());
    patch(`${id}_20261207T080000Z`, { summary: 'Changed' });
    remove(id);
    expect(ids()).toEqual([]);
    for (const suffix of ['20261207T080000Z', '20261214T080000Z']) {
      expect(get(`${id}_${suffix}`).status).toBe('cancelled');
      expect(refusal('delete', `${id}_${suffix}`)).toBe('410 deleted Resource has been deleted');
      expect(refusal('patch', `${id}_${suffix}`, { status: 'confirmed' })).toMatch(/^410/);
    }
  });

  it('that is more private makes the series so; one that is more open is ignored', () => {
    const { insert, patch, get } = fixture.events(RAVI);
    const { id } = insert(mondays());
    expect(patch(`${id}_20261207T080000Z`, { visibility: 'public' })).not.toHaveProperty('visibility');
    patch(`${id}_20261214T080000Z`, { visibility: 'private' });
    for (const other of [id, `${id}_20261207T080000Z`, `${id}_20261221T080000Z`]) {
      expect(get(other).visibility).toBe('private');
    }
  });
});

describe('instances', () => {
  it.each([
    [{ timeMin: '2026-12-07T08:30:00Z' }, ['1207', '1214', '1221']],
    [{ timeMin: '2026-12-07T08:30:01Z' }, ['1214', '1221']],
    [{ timeMax: '2026-12-07T08:00:00Z' }, ['1130']],
    [{ timeMax: '2026-12-07T08:00:01Z' }, ['1130', '1207']],
  ])('with %j are %j', (query, days) => {
    const { insert, instances } = fixture.events(RAVI);
    const { id } = insert(mondays());
    expect(instances(id, query).items.map((event: any) => event.id.slice(-12, -8))).toEqual(days);
  });

  it('come in pages, by start, and without a sync token', () => {
    const { insert, instances, patch, refusal } = fixture.events(RAVI);
    const { id } = insert(mondays());
    patch(`${id}_20261130T080000Z`, { start: berlin('2026-12-24T09:00:00'), end: berlin('2026-12-24T10:00:00') });
    const first = instances(id, { maxResults: 3 });
    expect(first.items.map((event: any) => event.start.dateTime.slice(5, 10))).toEqual(['12-07', '12-14', '12-21']);
    const last = instances(id, { maxResults: 3, pageToken: first.nextPageToken });
    expect(last.items.map((event: any) => event.id)).toEqual([`${id}_20261130T080000Z`]);
    expect(last).not.toHaveProperty('nextSyncToken');
    expect(refusal('instances', 'never0')).toBe('404 notFound Not Found');
  });
});

it('a single event of many zones ends in the zone that it was given', () => {
  const event = fixture.events(MARA).insert({
    start: { dateTime: '2026-12-01T09:00:00', timeZone: 'Europe/Lisbon' },
    end: { dateTime: '2026-12-01T13:00:00', timeZone: 'Europe/Berlin' },
  });
  expect(event.end).toEqual({ dateTime: '2026-12-01T12:00:00Z', timeZone: 'Europe/Berlin' });
  expect(fixture.events(MARA).patch(event.id, hour(1)).end.timeZone).toBe('Europe/Lisbon');
});
