import { at, IDA, MailboxFixture, type Json } from './mailbox-fixture.js';

let fixture: MailboxFixture;
beforeEach(() => {
  fixture = new MailboxFixture();
});

/** Every day at 15:00 in New York, which is at 20:00 UTC in winter. */
function daily(days: number): Json {
  return {
    subject: 'Stand-up',
    start: at('2026-11-23T15:00:00', 'Eastern Standard Time'),
    end: at('2026-11-23T15:15:00', 'Eastern Standard Time'),
    recurrence: {
      pattern: { type: 'daily', interval: 1 },
      range: { type: 'numbered', startDate: '2026-11-23', numberOfOccurrences: days },
    },
  };
}

async function instances(id: string, from = '2026-11-01', to = '2027-03-31'): Promise<Json[]> {
  const query = { startDateTime: `${from}T00:00:00Z`, endDateTime: `${to}T00:00:00Z`, $top: '1000' };
  const page = await fixture.body(IDA, 'listInstances_me_events_By_event_id', { path: { 'event-id': id }, query });
  return page['value'] as Json[];
}

async function details(id: string): Promise<Json> {
  return fixture.get(IDA, id, {
    $select: 'id,cancelledOccurrences,exceptionOccurrences',
    $expand: 'exceptionOccurrences($select=id,subject)',
  });
}

const starts = (rows: Json[]) => rows.map((row) => (row['start'] as { dateTime: string }).dateTime.slice(0, 16));

describe('a series', () => {
  it('is a master with the times of its first instance, and fills in its pattern', async () => {
    const master = await fixture.create(IDA, daily(3));
    expect(master).toMatchObject({
      type: 'seriesMaster',
      start: { dateTime: '2026-11-23T20:00:00.0000000' },
      recurrence: {
        pattern: { type: 'daily', interval: 1, month: 0, dayOfMonth: 0, firstDayOfWeek: 'sunday', index: 'first' },
        range: {
          type: 'numbered',
          startDate: '2026-11-23',
          endDate: '0001-01-01',
          recurrenceTimeZone: 'Eastern Standard Time',
          numberOfOccurrences: 3,
        },
      },
    });
    expect((await fixture.list(IDA)).map(({ type }) => type)).toEqual(['seriesMaster']);
  });

  it('has instances that know it, and their own time', async () => {
    const { id, '@odata.etag': etag } = await fixture.create(IDA, daily(2));
    const [first, second, ...more] = await instances(id as string);
    expect(more).toEqual([]);
    expect(first).toMatchObject({ type: 'occurrence', seriesMasterId: id, recurrence: null, '@odata.etag': etag });
    expect(second).toMatchObject({ originalStart: '2026-11-24T20:00:00Z', subject: 'Stand-up' });
    expect(await fixture.get(IDA, second!['id'] as string)).toMatchObject({ id: second!['id'], type: 'occurrence' });
    expect(first!['iCalUId']).not.toBe(second!['iCalUId']);
  });

  it('keeps its hour on its own clock', async () => {
    const weekly = {
      ...daily(1),
      start: at('2027-03-07T15:00:00', 'America/New_York'),
      end: at('2027-03-07T15:15:00', 'America/New_York'),
      recurrence: {
        pattern: { type: 'weekly', interval: 1, daysOfWeek: ['sunday'], firstDayOfWeek: 'monday' },
        range: { type: 'endDate', startDate: '2027-03-07', endDate: '2027-03-14' },
      },
    };
    const { id } = await fixture.create(IDA, weekly);
    expect(starts(await instances(id as string))).toEqual(['2027-03-07T20:00', '2027-03-14T19:00']);
  });

  it('begins on the first day of its range that fits its pattern, whatever its start says', async () => {
    const master = await fixture.create(IDA, {
      ...daily(1),
      recurrence: {
        pattern: { type: 'weekly', interval: 1, daysOfWeek: ['friday'], firstDayOfWeek: 'sunday' },
        range: { type: 'numbered', startDate: '2026-12-01', numberOfOccurrences: 2 },
      },
    });
    expect(master).toMatchObject({
      start: { dateTime: '2026-12-04T20:00:00.0000000' },
      recurrence: { range: { startDate: '2026-12-04' } },
    });
    expect(starts(await instances(master['id'] as string))).toEqual(['2026-12-04T20:00', '2026-12-11T20:00']);
  });

  it.each([
    [{ type: 'endDate', startDate: '2026-11-23', endDate: '2026-11-22' }, '400 ErrorPropertyValidationFailure'],
    [{ type: 'noEnd', startDate: '2026-02-30' }, '400 ErrorPropertyValidationFailure'],
    [
      { type: 'noEnd', startDate: '2026-11-23', recurrenceTimeZone: 'Customized Time Zone' },
      '400 TimeZoneNotSupportedException',
    ],
  ])('cannot have the range %j', async (range, rejection) => {
    const body = { ...daily(1), recurrence: { pattern: { type: 'daily', interval: 1 }, range } };
    expect(await fixture.refusal(IDA, 'create_me_events', { body })).toBe(rejection);
  });

  it('without any instance is refused', async () => {
    const recurrence = {
      pattern: { type: 'weekly', interval: 1, daysOfWeek: ['friday'], firstDayOfWeek: 'sunday' },
      range: { type: 'endDate', startDate: '2026-11-23', endDate: '2026-11-24' },
    };
    const body = { ...daily(1), recurrence };
    expect(await fixture.refusal(IDA, 'create_me_events', { body })).toBe('400 ErrorRecurrenceHasNoOccurrence');
  });

  it('is asked for its instances only as a whole', async () => {
    const { id } = await fixture.create(IDA, daily(2));
    const [first] = await instances(id as string);
    const query = { startDateTime: '2026-11-01T00:00:00Z', endDateTime: '2026-12-01T00:00:00Z' };
    const path = { 'event-id': first!['id'] as string };
    expect(await fixture.refusal(IDA, 'listInstances_me_events_By_event_id', { path, query })).toBe(
      '400 ErrorInvalidRequest',
    );
  });
});

describe('an instance', () => {
  it('that is changed becomes an exception under its id, and does not follow its series any more', async () => {
    const { id } = await fixture.create(IDA, daily(3));
    const [, second] = await instances(id as string);
    const changed = await fixture.patch(IDA, second!['id'] as string, { subject: 'Late' });
    expect(changed).toMatchObject({ id: second!['id'], type: 'exception', subject: 'Late' });
    await fixture.patch(IDA, id as string, { subject: 'Scrum' });
    expect((await instances(id as string)).map(({ subject }) => subject)).toEqual(['Scrum', 'Late', 'Scrum']);
    expect(await details(id as string)).toMatchObject({
      cancelledOccurrences: [],
      exceptionOccurrences: [{ id: second!['id'], subject: 'Late' }],
    });
  });

  it('that is deleted is told by its day, and only when that is asked for', async () => {
    const { id } = await fixture.create(IDA, daily(3));
    const [, second] = await instances(id as string);
    await fixture.remove(IDA, second!['id'] as string);
    expect(await details(id as string)).toMatchObject({ cancelledOccurrences: [`OID.${id}.2026-11-24`] });
    expect(await fixture.get(IDA, id as string)).not.toHaveProperty('cancelledOccurrences');
    expect(starts(await instances(id as string))).toEqual(['2026-11-23T20:00', '2026-11-25T20:00']);
    const path = { 'event-id': second!['id'] as string };
    expect(await fixture.refusal(IDA, 'get_me_events_By_event_id', { path })).toBe('404 ErrorItemNotFound');
  });

  it('takes its series along when it was the last', async () => {
    const { id } = await fixture.create(IDA, daily(1));
    const [only] = await instances(id as string);
    await fixture.remove(IDA, only!['id'] as string);
    expect(await fixture.list(IDA)).toEqual([]);
  });

  it('is moved within its day, not onto one of its neighbours', async () => {
    const { id } = await fixture.create(IDA, daily(3));
    const [, second] = await instances(id as string);
    const path = { 'event-id': second!['id'] as string };
    const moved = (day: string) => ({ start: at(`2026-11-${day}T10:00:00`), end: at(`2026-11-${day}T11:00:00`) });
    const patch = (day: string) => fixture.refusal(IDA, 'update_me_events_By_event_id', { path, body: moved(day) });
    expect(await patch('25')).toBe('400 ErrorOccurrenceCrossingBoundary');
    expect(await patch('23')).toBe('400 ErrorOccurrenceCrossingBoundary');
    expect(await patch('24')).toBe('carried out with 200');
    expect(await fixture.get(IDA, path['event-id'])).toMatchObject({
      start: { dateTime: '2026-11-24T10:00:00.0000000' },
      originalStart: '2026-11-24T20:00:00Z',
    });
  });

  it('may go where a neighbour was deleted', async () => {
    const { id } = await fixture.create(IDA, daily(3));
    const [, second, third] = await instances(id as string);
    await fixture.remove(IDA, third!['id'] as string);
    const body = { start: at('2026-11-27T10:00:00'), end: at('2026-11-27T11:00:00') };
    expect(await fixture.patch(IDA, second!['id'] as string, body)).toMatchObject({ type: 'exception' });
  });

  it('has no recurrence of its own', async () => {
    const { id } = await fixture.create(IDA, daily(3));
    const [first] = await instances(id as string);
    const options = { path: { 'event-id': first!['id'] as string }, body: { recurrence: null } };
    expect(await fixture.refusal(IDA, 'update_me_events_By_event_id', options)).toBe('400 ErrorInvalidRequest');
  });
});

describe('a change of a series', () => {
  async function withOwnInstances(): Promise<string> {
    const { id } = await fixture.create(IDA, daily(4));
    const [, second, third] = await instances(id as string);
    await fixture.patch(IDA, second!['id'] as string, { subject: 'Late' });
    await fixture.remove(IDA, third!['id'] as string);
    return id as string;
  }

  it('of its times or pattern drops what its instances had of their own', async () => {
    for (const change of [
      {
        start: at('2026-11-23T16:00:00', 'Eastern Standard Time'),
        end: at('2026-11-23T17:00:00', 'Eastern Standard Time'),
      },
      { recurrence: { ...daily(5)['recurrence'] } as unknown },
    ]) {
      const id = await withOwnInstances();
      await fixture.patch(IDA, id, change);
      expect(await details(id)).toMatchObject({ cancelledOccurrences: [], exceptionOccurrences: [] });
      expect(new Set((await instances(id)).map(({ type }) => type))).toEqual(new Set(['occurrence']));
    }
  });

  it('of anything else keeps it, and so do the same times once more', async () => {
    const id = await withOwnInstances();
    const { start, end } = daily(4);
    await fixture.patch(IDA, id, { subject: 'Scrum', start, end });
    expect(await details(id)).toMatchObject({
      cancelledOccurrences: [expect.any(String)],
      exceptionOccurrences: [{ subject: 'Late' }],
    });
  });

  it('moves its hour, and its day only by its range', async () => {
    const { id } = await fixture.create(IDA, daily(2));
    const changed = await fixture.patch(IDA, id as string, {
      start: at('2026-12-10T16:00:00', 'Eastern Standard Time'),
      end: at('2026-12-10T16:15:00', 'Eastern Standard Time'),
    });
    expect(changed['start']).toEqual({ dateTime: '2026-11-23T21:00:00.0000000', timeZone: 'UTC' });
  });

  it('makes it a single event, or a series of one', async () => {
    const { id } = await fixture.create(IDA, daily(2));
    const single = await fixture.patch(IDA, id as string, { recurrence: null });
    expect(single).toMatchObject({ type: 'singleInstance', recurrence: null });
    const again = await fixture.patch(IDA, id as string, { recurrence: daily(2)['recurrence'] as unknown });
    expect(again).toMatchObject({ type: 'seriesMaster' });
    expect(await instances(id as string)).toHaveLength(2);
  });
});

it('has all-day instances that float', async () => {
  const { id } = await fixture.create(IDA, {
    isAllDay: true,
    start: at('2026-12-24T00:00:00', 'Asia/Tokyo'),
    end: at('2026-12-25T00:00:00', 'Asia/Tokyo'),
    recurrence: {
      pattern: { type: 'daily', interval: 2 },
      range: { type: 'numbered', startDate: '2026-12-24', numberOfOccurrences: 2, recurrenceTimeZone: 'Asia/Tokyo' },
    },
  });
  const rows = await instances(id as string);
  expect(starts(rows)).toEqual(['2026-12-24T00:00', '2026-12-26T00:00']);
  expect(rows[1]).toMatchObject({ originalStart: '2026-12-26T00:00:00Z', isAllDay: true });
});
