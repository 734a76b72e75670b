import { onClock } from './times.js';
import { instanceDateOf, RecurringSeries } from './recurring-series.js';
import { changedSchedule, relocation, scheduleOf, keepChangedInstances } from './schedule.js';

const ZONE = 'Europe/Berlin';
const at = (local: string) => onClock(local, ZONE);
const input = (local: string) => ({ kind: 'dateTime' as const, local, timeZone: null, offsetMinutes: null });
const EXDATE = 'EXDATE;TZID=Europe/Berlin:';
const WEEKLY = {
  span: { start: at('2027-03-22T09:00:00'), end: at('2027-03-22T10:00:00') },
  recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3', 'EXDATE;TZID=Europe/Berlin:20270329T090000'],
};

describe('changedSchedule', () => {
  it('moves the series as far as the caller moved the instance in front of them', () => {
    const anchor = { start: at('2027-04-05T09:00:00'), end: at('2027-04-05T10:00:00') };
    const change = { start: input('2027-04-06T11:00:00'), end: input('2027-04-06T11:30:00') };
    expect(changedSchedule(WEEKLY, anchor, change, ZONE)).toEqual({
      span: { start: at('2027-03-23T11:00:00'), end: at('2027-03-23T11:30:00') },
      recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3', 'EXDATE;TZID=Europe/Berlin:20270330T110000'],
    });
  });

  it('changes nothing when the rule comes back as it was', () => {
    expect(changedSchedule(WEEKLY, null, { recurrence: WEEKLY.recurrence }, ZONE)).toEqual(WEEKLY);
  });

  it('keeps deleted days under a new rule, unless the caller lists them', () => {
    expect(changedSchedule(WEEKLY, null, { recurrence: ['FREQ=DAILY'] }, ZONE).recurrence).toEqual([
      'RRULE:FREQ=DAILY',
      'EXDATE;TZID=Europe/Berlin:20270329T090000',
    ]);
    const listed = ['FREQ=DAILY', 'EXDATE:20270324T090000'];
    expect(changedSchedule(WEEKLY, null, { recurrence: listed }, ZONE).recurrence).toHaveLength(2);
  });

  it('moves an EXDATE to the new place of its instance', () => {
    const to = (local: string) => ({ start: input(local), end: input(local.replace('09:00', '10:00')) });
    const weekdays = (...excluded: string[]) => ({
      ...WEEKLY,
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE', `${EXDATE}${excluded.map((day) => `${day}T090000`).join(',')}`],
    });
    const moved = (...excluded: string[]) =>
      changedSchedule(weekdays(...excluded), null, to('2027-03-24T09:00:00'), ZONE);
    expect(moved('20270329').recurrence[1]).toBe(`${EXDATE}20270331T090000`);
    expect(moved('20270331').recurrence[1]).toBe(`${EXDATE}20270331T090000`);
    expect(moved('20270329', '20270331').recurrence[1]).toBe(`${EXDATE}20270331T090000`);
    expect(moved('20270330').recurrence[1]).toBe(`${EXDATE}20270401T090000`);
    expect(moved('20270403').recurrence[1]).toBeUndefined();
    const excludedFirst = { ...WEEKLY, recurrence: WEEKLY.recurrence.toReversed() };
    expect(changedSchedule(excludedFirst, null, to('2027-03-23T09:00:00'), ZONE).recurrence).toEqual([
      ...[`${EXDATE}20270330T090000`, 'RRULE:FREQ=WEEKLY;COUNT=3'],
    ]);
  });

  it('makes a single event of a series', () => {
    expect(changedSchedule(WEEKLY, null, { recurrence: null }, ZONE)).toEqual({ ...WEEKLY, recurrence: [] });
  });
});

describe('relocation', () => {
  it('drops an instance at a time that the series no longer names, also beside one of the same day', () => {
    const rule = 'RRULE:FREQ=DAILY;COUNT=5';
    const placeOf = (...recurrence: string[]) => relocation(WEEKLY.span.start, { ...WEEKLY, recurrence }, ZONE);
    const extra = at('2027-03-23T15:00:00');
    expect(placeOf(rule, 'RDATE;TZID=Europe/Berlin:20270323T150000')(extra)).toEqual(extra);
    expect(placeOf(rule)(extra)).toBeNull();
  });

  it('moves instances along, or to the new time of their day, or away', () => {
    const to = (start: string, rule: string) => ({ span: { start: at(start), end: at(start) }, recurrence: [rule] });
    const from = WEEKLY.span.start;
    const monday = at('2027-03-29T09:00:00');
    expect(relocation(from, to('2027-03-22T11:00:00', 'RRULE:FREQ=WEEKLY;BYDAY=MO'), ZONE)(monday)).toEqual(
      at('2027-03-29T11:00:00'),
    );
    expect(relocation(from, to('2027-03-23T09:00:00', 'RRULE:FREQ=WEEKLY'), ZONE)(monday)).toEqual(
      at('2027-03-30T09:00:00'),
    );
    expect(relocation(from, to('2027-03-24T11:00:00', 'RRULE:FREQ=WEEKLY;BYDAY=MO,WE'), ZONE)(monday)).toEqual(
      at('2027-03-31T11:00:00'),
    );
    expect(relocation(from, to('2027-03-22T09:00:00', 'RRULE:FREQ=DAILY;COUNT=2'), ZONE)(monday)).toBeNull();
    expect(relocation(from, { ...WEEKLY, recurrence: [] }, ZONE)(monday)).toBeNull();
  });

  it('loses instances of a rule that nobody can read, and nothing else', () => {
    const unreadable = { ...WEEKLY, recurrence: ['RRULE:FREQ=LUNAR'] };
    expect(relocation(WEEKLY.span.start, unreadable, ZONE)(WEEKLY.span.start)).toBeNull();
  });
});

describe('keepChangedInstances', () => {
  const MOVED = '20270330T100000';
  const before = { ...WEEKLY, recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,TU;COUNT=9', `${EXDATE}20270329T090000`] };
  const after = {
    span: { start: at('2027-03-23T10:00:00'), end: at('2027-03-23T11:00:00') },
    recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,TU;COUNT=9', `${EXDATE}${MOVED},20270406T100000`],
  };
  const tuesday = [at('2027-03-30T09:00:00')];

  it('drops the exclusion that comes to a changed instance, and no other one', () => {
    expect(keepChangedInstances({ before, after, input: {} }, tuesday, ZONE).recurrence).toEqual([
      'RRULE:FREQ=WEEKLY;BYDAY=MO,TU;COUNT=9',
      `${EXDATE}20270406T100000`,
    ]);
    expect(keepChangedInstances({ before, after, input: {} }, [], ZONE)).toBe(after);
  });

  it('leaves what the caller excludes, and an exclusion that was there beside the instance', () => {
    const input = { recurrence: after.recurrence };
    expect(keepChangedInstances({ before, after, input }, tuesday, ZONE)).toBe(after);
    const beside = { ...before, recurrence: [...before.recurrence, `${EXDATE}20270330T090000`] };
    expect(keepChangedInstances({ before: beside, after, input: {} }, tuesday, ZONE)).toBe(after);
    const sentBack = { recurrence: before.recurrence };
    expect(keepChangedInstances({ before, after, input: sentBack }, tuesday, ZONE)).not.toBe(after);
  });
});

describe('RecurringSeries', () => {
  const series = (recurrence: string[], excluded = [] as ReturnType<typeof at>[]) =>
    RecurringSeries.ofLines(WEEKLY.span.start, WEEKLY.span.end, recurrence, ZONE, excluded);

  it('finds the one instance of a day', () => {
    expect(series(['RRULE:FREQ=DAILY;COUNT=3']).instanceDate('20270323')).toBe('20270323T080000Z');
    expect(series(['RRULE:FREQ=HOURLY;COUNT=3']).instanceDate('20270322')).toBeNull();
    expect(series(['RRULE:FREQ=DAILY;COUNT=3']).instanceDate('20270401')).toBeNull();
  });

  it('knows what comes before an instant, deleted instances left out', () => {
    const limit = Date.UTC(2027, 2, 23, 8);
    expect(series(['RRULE:FREQ=DAILY']).startsBefore(limit)).toBe(true);
    expect(series(['RRULE:FREQ=DAILY'], [WEEKLY.span.start]).startsBefore(limit)).toBe(false);
    expect(series(['RRULE:FREQ=SECONDLY']).startsBefore(limit)).toBe(true);
  });

  it('writes nothing into the series that is no recurrence', () => {
    expect(
      series(['RRULE:FREQ=DAILY;COUNT=2', 'END:VEVENT\r\nBEGIN:VEVENT', 'DTSTART:19700101T000000Z']).countBefore(
        at('2027-04-01T09:00:00'),
      ),
    ).toBe(2);
  });

  it('is none without a rule or a time', () => {
    const day = { kind: 'date' as const, date: '2027-01-01' };
    expect(RecurringSeries.of({ start: day, end: null, recurrence: [] }, ZONE)).toBeNull();
    expect(RecurringSeries.of({ start: null, end: null, recurrence: ['RRULE:FREQ=DAILY'] }, ZONE)).toBeNull();
    expect(() => scheduleOf({ start: null, end: null, recurrence: [] })).toThrow(
      expect.objectContaining({ code: 'ProviderUnavailable' }),
    );
  });
});

it.each([
  [at('2027-07-01T09:00:00'), '20270701T070000Z'],
  [{ kind: 'date' as const, date: '2027-07-01' }, '20270701'],
])('names an instance by its original start %j', (time, date) => {
  expect(instanceDateOf(time)).toBe(date);
});
