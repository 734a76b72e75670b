import { at, hour, IDA, MailboxFixture, type Json } from './mailbox-fixture.js';

let fixture: MailboxFixture;
beforeEach(() => {
  fixture = new MailboxFixture();
});

const PUBLIC = 'String {6f1d2c3b-4a59-4e68-8777-8695a4b3c2d1} Name ucPublic';
const INDEX = 'String {6F1D2C3B-4A59-4E68-8777-8695A4B3C2D1} Name ucIndex';

async function several(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id } = await fixture.create(IDA, { subject: `Event ${index}`, ...hour(index) });
    ids.push(id as string);
  }
  return ids;
}

const subjects = (rows: Json[]) => rows.map(({ subject }) => subject as string);

describe('a page', () => {
  it('has ten rows unless another size is asked for, and a link to what follows', async () => {
    await several(12);
    const first = await fixture.body(IDA, 'list_me_events');
    expect(first['value']).toHaveLength(10);
    const next = new URL(first['@odata.nextLink'] as string);
    expect(`${next.origin}${next.pathname}`).toBe('https://graph.example/v1.0/me/events');
    const rest = await fixture.body(IDA, 'list_me_events', { query: Object.fromEntries(next.searchParams) });
    expect(subjects(rest['value'] as Json[])).toEqual(['Event 10', 'Event 11']);
    expect(rest).not.toHaveProperty('@odata.nextLink');
  });

  it('that is full says that more follows, even when nothing does', async () => {
    await several(2);
    const full = await fixture.body(IDA, 'list_me_events', { query: { $top: '2', $count: 'true' } });
    expect(full).toMatchObject({ '@odata.count': 2, '@odata.nextLink': expect.stringContaining('skip=2') });
    const query = Object.fromEntries(new URL(full['@odata.nextLink'] as string).searchParams);
    expect(await fixture.body(IDA, 'list_me_events', { query })).toMatchObject({ value: [] });
  });

  it('links to the calendar of its path, encoded', async () => {
    await several(1);
    const [calendar] = (await fixture.body(IDA, 'list_me_calendars'))['value'] as Json[];
    const path = { 'calendar-id': calendar!['id'] as string };
    const operation = 'list_me_calendars_By_calendar_id_events';
    const page = await fixture.body(IDA, operation, { path, query: { $top: '1' } });
    expect(page['@odata.nextLink']).toContain(`/me/calendars/${encodeURIComponent(path['calendar-id'])}/events?`);
  });

  it.each([{ $top: '1001' }, { $top: '0' }, { $top: 'x' }, { $skip: '-1' }])('cannot be %j', async (query) => {
    expect(await fixture.refusal(IDA, 'list_me_events', { query: query as never })).toBe('400 ErrorInvalidUrlQuery');
  });
});

describe('a view', () => {
  it('shows what overlaps its window, by start', async () => {
    await fixture.create(IDA, { subject: 'Late', ...hour(10) });
    await fixture.create(IDA, { subject: 'Early', ...hour(8) });
    const view = async (from: string, to: string) =>
      subjects(await fixture.view(IDA, `2026-12-01T${from}`, `2026-12-01T${to}`));
    expect(await view('00:00:00Z', '23:00:00Z')).toEqual(['Early', 'Late']);
    expect(await view('09:00:00Z', '10:00:00Z')).toEqual([]);
    expect(await view('08:30:00', '08:31:00')).toEqual(['Early']);
    expect(await view('11:30:00+02:00', '12:01:00+02:00')).toEqual(['Late']);
  });

  it('takes all-day events for days of UTC', async () => {
    await fixture.create(IDA, {
      isAllDay: true,
      start: at('2026-12-24T00:00:00', 'Asia/Tokyo'),
      end: at('2026-12-25T00:00:00', 'Asia/Tokyo'),
    });
    expect(await fixture.view(IDA, '2026-12-23T15:00:00Z', '2026-12-24T00:00:00Z')).toEqual([]);
    expect(await fixture.view(IDA, '2026-12-24T23:00:00Z', '2026-12-25T09:00:00Z')).toHaveLength(1);
  });

  it('has no more than 1825 days, and both its bounds', async () => {
    const rejection = (query: Record<string, string>) => fixture.refusal(IDA, 'list_me_calendarView', { query });
    const startDateTime = '2026-01-01T00:00:00Z';
    expect(await rejection({ startDateTime, endDateTime: '2030-12-31T00:00:00Z' })).toBe('carried out with 200');
    expect(await rejection({ startDateTime, endDateTime: '2030-12-31T00:00:01Z' })).toBe('400 ErrorInvalidRequest');
    expect(await rejection({ startDateTime, endDateTime: '2025-12-31T00:00:00Z' })).toBe('400 ErrorInvalidRequest');
    expect(await rejection({ startDateTime })).toBe('400 ErrorInvalidParameter');
    expect(await rejection({ startDateTime, endDateTime: 'tomorrow' })).toBe('400 ErrorInvalidParameter');
  });

  it('tells when events were made only without a selection', async () => {
    await several(1);
    const [whole] = await fixture.view(IDA, '2026-12-01', '2026-12-02');
    expect(whole).toHaveProperty('createdDateTime');
    const [chosen] = await fixture.view(IDA, '2026-12-01', '2026-12-02', { $select: 'subject,createdDateTime' });
    expect(Object.keys(chosen!).sort()).toEqual(['@odata.etag', 'id', 'subject']);
  });
});

describe('a selection', () => {
  it('shows a join link only together with isOnlineMeeting', async () => {
    await fixture.create(IDA, { isOnlineMeeting: true, ...hour(8) });
    const [without] = await fixture.list(IDA, { $select: 'onlineMeeting' });
    expect(without!['onlineMeeting']).toBeNull();
    const [both] = await fixture.list(IDA, { $select: 'onlineMeeting,isOnlineMeeting' });
    expect(both!['onlineMeeting']).toMatchObject({ joinUrl: expect.any(String) });
  });
});

describe('an order', () => {
  it('is by one or several properties, either way', async () => {
    await fixture.create(IDA, { subject: 'b', ...hour(8) });
    await fixture.create(IDA, { subject: 'A', ...hour(9) });
    await fixture.create(IDA, { subject: 'b', ...hour(7) });
    const order = async ($orderby: string) =>
      (await fixture.list(IDA, { $orderby })).map(
        (row) => `${row['subject']}${(row['start'] as Json)['dateTime'].slice(11, 13)}`,
      );
    expect(await order('subject,start/dateTime')).toEqual(['A09', 'b07', 'b08']);
    expect(await order('start/dateTime desc')).toEqual(['A09', 'b08', 'b07']);
  });
});

describe('a filter', () => {
  beforeEach(async () => {
    await fixture.create(IDA, { subject: "Ida's lunch", categories: ['Red'], showAs: 'free', ...hour(8) });
    await fixture.create(IDA, { subject: 'Board', importance: 'high', ...hour(10), reminderMinutesBeforeStart: 5 });
  });

  it.each([
    ["contains(subject,'ida''s')", ["Ida's lunch"]],
    ["subject eq 'board'", ['Board']],
    ["(subject eq 'board' or showAs eq 'free') and importance eq 'normal'", ["Ida's lunch"]],
    ["categories/any(c:c eq 'red')", ["Ida's lunch"]],
  ])('%s', async ($filter, expected) => {
    expect(subjects(await fixture.list(IDA, { $filter }))).toEqual(expected);
  });

  it.each([
    "not (subject eq 'x')",
    "subject eq 'x",
    'subject',
    "subject like 'x'",
    '(',
    "contains(subject,'x'",
    `${'('.repeat(60)}subject`,
  ])('cannot be %s', async ($filter) => {
    expect(await fixture.refusal(IDA, 'list_me_events', { query: { $filter } })).toBe('400 ErrorInvalidUrlQueryFilter');
  });
});

describe('extended properties', () => {
  const written = [
    { id: PUBLIC, value: '{"crm":"42"}' },
    { id: INDEX, value: '|abc|def|' },
  ];

  it('are not told but on request, by their ids', async () => {
    const event = await fixture.create(IDA, { singleValueExtendedProperties: written, ...hour(8) });
    const id = event['id'] as string;
    expect(event).not.toHaveProperty('singleValueExtendedProperties');
    expect(await fixture.get(IDA, id)).not.toHaveProperty('singleValueExtendedProperties');
    const $expand = `singleValueExtendedProperties($filter=id eq '${PUBLIC}' or id eq 'String {0} Name none')`;
    const returned = { singleValueExtendedProperties: [written[0]] };
    expect(await fixture.get(IDA, id, { $expand, $select: 'id' })).toMatchObject(returned);
    expect((await fixture.list(IDA, { $expand }))[0]).toMatchObject(returned);
    const without = { path: { 'event-id': id }, query: { $expand: 'singleValueExtendedProperties' } };
    expect(await fixture.refusal(IDA, 'get_me_events_By_event_id', without)).toBe('400 ErrorInvalidUrlQueryFilter');
  });

  it('are changed one by one', async () => {
    const { id } = await fixture.create(IDA, { singleValueExtendedProperties: written, ...hour(8) });
    await fixture.patch(IDA, id as string, { singleValueExtendedProperties: [{ id: INDEX, value: '|x|' }] });
    const $expand = `singleValueExtendedProperties($filter=contains(id,'Name uc'))`;
    const returned = (await fixture.get(IDA, id as string, { $expand }))['singleValueExtendedProperties'] as Json[];
    expect(returned.map(({ value }) => value as string)).toEqual(['{"crm":"42"}', '|x|']);
  });

  it('find the events that carry them, in lists and views', async () => {
    await several(2);
    await fixture.create(IDA, { subject: 'Found', singleValueExtendedProperties: written, ...hour(8) });
    const $filter = `singleValueExtendedProperties/Any(ep: ep/id eq '${INDEX}' and contains(ep/value,'|ABC|'))`;
    expect(subjects(await fixture.list(IDA, { $filter }))).toEqual(['Found']);
    expect(subjects(await fixture.view(IDA, '2026-12-01', '2026-12-02', { $filter }))).toEqual(['Found']);
  });

  it('are what can be expanded, and nothing else', async () => {
    const query = { $expand: 'attachments' };
    expect(await fixture.refusal(IDA, 'list_me_events', { query })).toBe('400 ErrorInvalidUrlQuery');
  });
});
