import { DomainError } from '#domain/system';
import { readEventPatch, readNewEvent, type EventBody } from './event-input.js';

function rejectedAt(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError && error.code === 'ValidationFailed') return error.details?.[0]?.path;
    throw error;
  }
  return undefined;
}

const NINE = { dateTime: '2026-03-29T09:00:00Z' };
const create = (body: EventBody) => readNewEvent({ title: 'x', ...body });

describe('readNewEvent', () => {
  it('needs a title and a start, and nothing else', () => {
    expect(rejectedAt(() => readNewEvent({ start: NINE }))).toBe('title');
    expect(rejectedAt(() => readNewEvent({ title: 'x' }))).toBe('start');
    expect(rejectedAt(() => readNewEvent({ title: null, start: NINE }))).toBe('title');
    expect(rejectedAt(() => readNewEvent({ title: 'x', start: null }))).toBe('start');
    expect(create({ start: NINE })).toEqual({
      title: 'x',
      start: { kind: 'dateTime', local: '2026-03-29T09:00:00', offsetMinutes: 0, timeZone: null },
      isAllDay: false,
    });
  });
});

describe('times', () => {
  it.each([
    [{ dateTime: '2026-03-29T09:00:00Z' }, '2026-03-29T09:00:00', 0, null],
    [{ dateTime: '2026-03-29T09:00:00.123+05:30' }, '2026-03-29T09:00:00', 330, null],
    [
      { dateTime: '2026-03-29T09:00:00-03:00', timeZone: 'Europe/Berlin' },
      '2026-03-29T09:00:00',
      -180,
      'Europe/Berlin',
    ],
    [{ dateTime: '2026-03-29T09:00:00', timeZone: 'Europe/Berlin' }, '2026-03-29T09:00:00', null, 'Europe/Berlin'],
    [{ dateTime: '2026-03-29T09:00', timeZone: null }, '2026-03-29T09:00:00', null, null],
    // Outlook's names stand for IANA zones.
    [
      { dateTime: '2026-03-29T09:00:00', timeZone: 'W. Europe Standard Time' },
      '2026-03-29T09:00:00',
      null,
      'Europe/Berlin',
    ],
    // A leap second is the last second that clocks show.
    [{ dateTime: '2026-06-30T23:59:60Z' }, '2026-06-30T23:59:59', 0, null],
  ])('%j is kept as it was written', (start, local, offsetMinutes, timeZone) => {
    expect(create({ start }).start).toEqual({ kind: 'dateTime', local, offsetMinutes, timeZone });
  });

  it.each<[EventBody, string]>([
    [{ start: {} }, 'start.dateTime'],
    [{ start: { dateTime: null, date: null } }, 'start.dateTime'],
    [{ start: { dateTime: '2026-03-29' } }, 'start.dateTime'],
    [{ start: { dateTime: '2026-02-29T09:00:00Z' } }, 'start.dateTime'],
    [{ start: { dateTime: '9999-01-01T09:00:00Z' } }, 'start.dateTime'],
    [{ start: { date: '2026-02-29' } }, 'start.date'],
    [{ start: { date: '2026-03-29T00:00:00' } }, 'start.date'],
    [{ start: { ...NINE, timeZone: 'Mars/Olympus' } }, 'start.timeZone'],
    [{ start: { ...NINE, timeZone: '../../etc/passwd' } }, 'start.timeZone'],
    [{ start: { ...NINE, timeZone: 'x'.repeat(10_000) } }, 'start.timeZone'],
    [{ start: { ...NINE, timeZone: '' } }, 'start.timeZone'],
    [{ start: { date: '2026-03-29', timeZone: 'Mars/Olympus' } }, 'start.timeZone'],
    [{ start: NINE, end: { dateTime: 'later' } }, 'end.dateTime'],
    [{ start: NINE, end: {} }, 'end.dateTime'],
    [{ start: { timeZone: 'Europe/Berlin' } }, 'start.dateTime'],
    [{ start: NINE, end: { timeZone: 'Europe/Berlin' } }, 'end.dateTime'],
    [{ start: NINE, end: { date: '2026-03-30' } }, 'end'],
    [{ start: { date: '2026-03-29' }, end: NINE }, 'end'],
    [{ start: { date: '2026-03-29' }, end: { date: '2026-03-28' } }, 'end'],
    [{ start: { date: '2026-03-29' }, isAllDay: false }, 'start.date'],
    [{ start: NINE, end: { date: '2026-03-30' }, isAllDay: false }, 'end.date'],
  ])('refuses %j naming %s', (body, path) => {
    expect(rejectedAt(() => create(body))).toBe(path);
  });

  it('names an unknown zone, shortened, in its message', () => {
    expect(() => create({ start: { ...NINE, timeZone: `Nowhere/${'x'.repeat(300)}` } })).toThrow(/"Nowhere\/x{56}" is/);
  });
});

describe('all-day events', () => {
  const day = (date: string) => ({ kind: 'date', date });

  it('are dates, whatever zone comes along', () => {
    expect(
      create({ start: { date: '2026-03-29', timeZone: 'Pacific/Kiritimati' }, end: { date: '2026-03-31' } }),
    ).toEqual({ title: 'x', start: day('2026-03-29'), end: day('2026-03-31'), isAllDay: true });
  });

  it('may be written as date-times, which are taken literally', () => {
    const { start, end } = create({
      isAllDay: true,
      start: { dateTime: '2026-03-29T00:00:00-11:00', timeZone: 'Pacific/Niue' },
      end: { dateTime: '2026-03-31T00:00:00-11:00' },
    });
    expect([start, end]).toEqual([day('2026-03-29'), day('2026-03-31')]);
  });

  it('may be written as a bare date in dateTime', () => {
    const { start, end } = create({
      isAllDay: true,
      start: { dateTime: '2026-03-29' },
      end: { dateTime: '2026-03-30' },
    });
    expect([start, end]).toEqual([day('2026-03-29'), day('2026-03-30')]);
  });

  it('cover the day that their end reaches into', () => {
    const { end } = create({
      isAllDay: true,
      start: { dateTime: '2026-02-28T00:00:00' },
      end: { dateTime: '2026-02-28T23:59:59' },
    });
    expect(end).toEqual(day('2026-03-01'));
  });

  it('are a day long at least: the same date twice is one day', () => {
    expect(create({ start: { date: '2026-12-31' }, end: { date: '2026-12-31' } }).end).toEqual(day('2027-01-01'));
  });

  it('come back as they are shown: date goes before dateTime', () => {
    const shown = { date: '2026-03-29', dateTime: '2026-03-29T00:00:00', timeZone: 'Europe/Berlin' };
    expect(create({ start: shown }).start).toEqual(day('2026-03-29'));
  });
});

describe('readEventPatch', () => {
  it('leaves what is not there undefined', () => {
    expect(readEventPatch({})).toEqual({});
    expect(Object.keys(readEventPatch({ title: undefined }))).toEqual([]);
  });

  it('keeps null for what can be cleared', () => {
    const cleared: EventBody = {
      description: null,
      end: null,
      publicExtendedProperties: null,
      privateExtendedProperties: null,
      recurrence: null,
      colorId: null,
      customColor: null,
      attendees: null,
      visibility: null,
      location: null,
      transparency: null,
      eventType: null,
      reminders: null,
      conferenceData: null,
      generateMeetingUrlProvider: null,
    };
    expect(readEventPatch(cleared)).toEqual(cleared);
  });

  it('takes null for isAllDay and myResponseStatus as not said, no recurrence lines as none', () => {
    expect(readEventPatch({ isAllDay: null, myResponseStatus: null })).toEqual({});
    expect(readEventPatch({ recurrence: [] })).toEqual({ recurrence: null });
    expect(readEventPatch({ recurrence: ['RRULE:FREQ=DAILY'] })).toEqual({ recurrence: ['RRULE:FREQ=DAILY'] });
  });

  it('takes another zone alone', () => {
    const zone = { kind: 'timeZone', timeZone: 'Europe/Berlin' };
    expect(readEventPatch({ start: { timeZone: 'Europe/Berlin' } })).toEqual({ start: zone });
    expect(readEventPatch({ start: { timeZone: 'W. Europe Standard Time', dateTime: null } })).toEqual({ start: zone });
    expect(readEventPatch({ start: NINE, end: { timeZone: 'Europe/Berlin' } })).toMatchObject({ end: zone });
    expect(rejectedAt(() => readEventPatch({ start: {} }))).toBe('start.dateTime');
    expect(rejectedAt(() => readEventPatch({ start: { timeZone: 'Mars/Olympus' } }))).toBe('start.timeZone');
  });

  it('refuses to clear title and start', () => {
    expect(rejectedAt(() => readEventPatch({ title: null }))).toBe('title');
    expect(rejectedAt(() => readEventPatch({ start: null }))).toBe('start');
  });

  it('says by a new start whether the event is all-day, and says nothing without one', () => {
    expect(readEventPatch({ start: { date: '2026-03-29' } }).isAllDay).toBe(true);
    expect(readEventPatch({ start: NINE }).isAllDay).toBe(false);
    expect(readEventPatch({ end: NINE })).not.toHaveProperty('isAllDay');
    expect(readEventPatch({ isAllDay: true })).toEqual({ isAllDay: true });
  });

  it('takes an end alone', () => {
    expect(readEventPatch({ end: { date: '2026-03-29' } })).toEqual({ end: { kind: 'date', date: '2026-03-29' } });
  });
});

describe('reminders', () => {
  const overrides = [{ method: 'popup', minutes: -540 }];

  it.each<[NonNullable<EventBody['reminders']>, boolean]>([
    [{ overrides }, false],
    [{ overrides: [] }, false],
    [{ isReminderOn: true }, true],
    [{ isReminderOn: false }, false],
    [{}, true],
    [{ useDefault: true, isReminderOn: true }, true],
    [{ useDefault: false }, false],
  ])('%j use those of the calendar: %s', (reminders, useDefault) => {
    expect(readEventPatch({ reminders }).reminders).toEqual({ ...reminders, useDefault });
    expect(create({ start: NINE, reminders }).reminders).toEqual({ ...reminders, useDefault });
  });
});

describe('extended properties', () => {
  it.each(['publicExtendedProperties', 'privateExtendedProperties'] as const)('%s have limits', (name) => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
    expect(Object.keys(readEventPatch({ [name]: many(100) })[name]!)).toHaveLength(100);
    expect(rejectedAt(() => readEventPatch({ [name]: many(101) }))).toBe(name);
    expect(readEventPatch({ [name]: { ['k'.repeat(128)]: 'v'.repeat(4096) } })).toBeDefined();
    expect(rejectedAt(() => readEventPatch({ [name]: { ['k'.repeat(129)]: 'v' } }))).toBe(name);
    expect(rejectedAt(() => readEventPatch({ [name]: { '': 'v' } }))).toBe(name);
    expect(rejectedAt(() => readEventPatch({ [name]: { k: 'v'.repeat(4097) } }))).toBe(`${name}.k`);
    expect(rejectedAt(() => readEventPatch({ [name]: { k: 1 } as never }))).toBe(`${name}.k`);
    expect(rejectedAt(() => readEventPatch({ [name]: { k: null } as never }))).toBe(`${name}.k`);
  });

  it('N12 takes __proto__ for a key like any other', () => {
    const properties = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    const read = readEventPatch({ publicExtendedProperties: properties }).publicExtendedProperties!;
    expect(Object.entries(read)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });
});
