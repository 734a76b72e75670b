import { onClock } from './times.js';
import { continueFrom, datesOf, endBefore, readRecurrence, shiftRecurrence } from './recurrence-lines.js';
import { isRecurrenceLine } from './recurrence.js';

const BERLIN = { start: onClock('2027-03-22T09:00:00', 'Europe/Berlin'), calendarZone: 'Europe/Berlin' };
const DAYS = { start: { kind: 'date' as const, date: '2027-03-22' }, calendarZone: 'Asia/Tokyo' };
const UTC = { start: onClock('2027-03-22T09:00:00', 'UTC'), calendarZone: 'Europe/Berlin' };

describe('readRecurrence', () => {
  it.each([
    ['adds a name', BERLIN, 'FREQ=DAILY;COUNT=5', 'RRULE:FREQ=DAILY;COUNT=5'],
    ['keeps a line as it is', BERLIN, 'RRULE:FREQ=WEEKLY;BYDAY=MO', 'RRULE:FREQ=WEEKLY;BYDAY=MO'],
    ['ends a day with its day', BERLIN, 'FREQ=DAILY;UNTIL=20270324', 'RRULE:FREQ=DAILY;UNTIL=20270324T225959Z'],
    [
      'reads a local end on the clock of the series',
      BERLIN,
      'FREQ=DAILY;UNTIL=20270330T090000',
      'RRULE:FREQ=DAILY;UNTIL=20270330T070000Z',
    ],
    ['ends days with a day', DAYS, 'FREQ=DAILY;UNTIL=20270324T235959Z', 'RRULE:FREQ=DAILY;UNTIL=20270325'],
    ['gives dates the zone', BERLIN, 'EXDATE:20270323T090000', 'EXDATE;TZID=Europe/Berlin:20270323T090000'],
    [
      'puts instants into the zone',
      BERLIN,
      'EXDATE:20270330T070000Z,20270331T070000Z',
      'EXDATE;TZID=Europe/Berlin:20270330T090000,20270331T090000',
    ],
    [
      'maps other zones and Windows names',
      BERLIN,
      'RDATE;TZID="Eastern Standard Time":20270323T040000',
      'RDATE;TZID=Europe/Berlin:20270323T090000',
    ],
    [
      'takes a date for that day’s instance',
      BERLIN,
      'EXDATE;VALUE=DATE:20270323',
      'EXDATE;TZID=Europe/Berlin:20270323T090000',
    ],
    [
      'takes the day of an instant where the calendar is',
      DAYS,
      'EXDATE:20270323T160000Z',
      'EXDATE;VALUE=DATE:20270324',
    ],
    ['writes UTC as UTC', UTC, 'RDATE:20270323T090000', 'RDATE:20270323T090000Z'],
  ])('%s', (_name, frame, line, written) => {
    const lines = /DATE/.test(line.slice(0, 6)) ? ['RRULE:FREQ=DAILY', line] : [line];
    expect(readRecurrence(lines, frame).at(-1)).toBe(written);
  });

  it.each([
    ['DTSTART:20270322T090000', 'recurrence.0'],
    ['DTEND;TZID=Europe/Berlin:20270322T090000', 'recurrence.0'],
    ['SUMMARY:x', 'recurrence.0'],
    ['', 'recurrence.0'],
    ['RRULE:FREQ=DAILY\r\nDTSTART:20270101T000000Z', 'recurrence.0'],
    ['RRULE:FREQ=DAILY\u0000', 'recurrence.0'],
    ['FREQ=HOURLY;COUNT=0', 'recurrence'],
    ['FREQ=NEVER', 'recurrence'],
    ['FREQ=DAILY;UNTIL=20270101', 'recurrence'],
    ['EXDATE:20270323T090000', 'recurrence'],
    ['RDATE:20270230T090000', 'recurrence'],
    ['RDATE;TZID=Mars/Olympus:20270323T090000', 'recurrence'],
  ])('refuses %j', (line, path) => {
    expect(() => readRecurrence([line], BERLIN)).toThrow(
      expect.objectContaining({ code: 'ValidationFailed', details: [expect.objectContaining({ path })] }),
    );
  });

  it('takes rules beside each other', () => {
    expect(readRecurrence(['FREQ=DAILY', 'RRULE:FREQ=WEEKLY'], BERLIN)).toEqual([
      'RRULE:FREQ=DAILY',
      'RRULE:FREQ=WEEKLY',
    ]);
  });

  it('refuses periods, and more lines than anybody needs', () => {
    expect(() => readRecurrence(['RDATE;VALUE=PERIOD:20270323T090000Z/PT1H'], BERLIN)).toThrow(
      expect.objectContaining({ code: 'NotSupportedByProvider' }),
    );
    expect(() =>
      readRecurrence(
        Array.from({ length: 1_001 }, () => 'EXDATE:20270323T090000'),
        BERLIN,
      ),
    ).toThrow(/too long/);
  });
});

describe('shiftRecurrence', () => {
  it('moves what names instances, on the new clock', () => {
    const lines = ['RRULE:FREQ=DAILY;UNTIL=20270330T070000Z', 'RDATE;TZID=Europe/Berlin:20270323T093000'];
    expect(shiftRecurrence(lines, BERLIN, onClock('2027-03-22T10:00:00', 'America/New_York'))).toEqual([
      'RRULE:FREQ=DAILY;UNTIL=20270330T140000Z',
      'RDATE;TZID=America/New_York:20270323T103000',
    ]);
    expect(shiftRecurrence(lines, BERLIN, { kind: 'date', date: '2027-03-23' })).toEqual([
      'RRULE:FREQ=DAILY;UNTIL=20270331',
      'RDATE;VALUE=DATE:20270324',
    ]);
  });

  it('leaves alone what it does not move or cannot read', () => {
    const lines = ['RRULE:FREQ=DAILY;COUNT=3', 'X-LINE:1'];
    expect(shiftRecurrence(lines, BERLIN, onClock('2027-03-22T10:00:00', 'UTC'))).toEqual(lines);
  });
});

describe('cutting a recurrence in two', () => {
  const wednesday = onClock('2027-03-31T09:00:00', 'Europe/Berlin');
  const lines = [
    'RRULE:FREQ=DAILY;COUNT=20',
    'EXDATE;TZID=Europe/Berlin:20270330T090000,20270331T090000,20270401T090000',
    'RDATE;TZID=Europe/Berlin:20270501T090000',
  ];

  it('shares COUNT and dates between the two', () => {
    expect(endBefore(lines, wednesday, BERLIN, 9)).toEqual([
      'RRULE:FREQ=DAILY;COUNT=9',
      'EXDATE;TZID=Europe/Berlin:20270330T090000',
    ]);
    expect(continueFrom(lines, wednesday, BERLIN, 9)).toEqual([
      'RRULE:FREQ=DAILY;COUNT=11',
      'EXDATE;TZID=Europe/Berlin:20270331T090000,20270401T090000',
      'RDATE;TZID=Europe/Berlin:20270501T090000',
    ]);
  });

  it('ends a rule in UTC one second before, a rule of days one day before', () => {
    expect(endBefore(['RRULE:FREQ=DAILY'], wednesday, BERLIN, 9)).toEqual(['RRULE:FREQ=DAILY;UNTIL=20270331T065959Z']);
    expect(endBefore(['RRULE:FREQ=DAILY'], { kind: 'date', date: '2027-04-01' }, DAYS, 9)).toEqual([
      'RRULE:FREQ=DAILY;UNTIL=20270331',
    ]);
  });

  it('takes away a rule that has made nothing yet', () => {
    expect(endBefore(['RRULE:FREQ=DAILY;COUNT=3'], wednesday, BERLIN, 0)).toEqual([]);
  });
});

it('hands nothing to the engine that is no line of a recurrence', () => {
  expect(
    ['RRULE:FREQ=DAILY', 'EXDATE;TZID="a:b":20270101T000000', 'RDATE;X=1;TZID=A/B:1'].every(isRecurrenceLine),
  ).toBe(true);
  expect(['END:VEVENT', 'RRULE:FREQ=DAILY\r\nEND:VEVENT', 'RRULE', 'XRRULE:x', ' RRULE:x'].some(isRecurrenceLine)).toBe(
    false,
  );
});

describe('datesOf', () => {
  it('gives the dates of one name as the series has its own', () => {
    const lines = ['RRULE:FREQ=DAILY', 'EXDATE:20270323T080000Z,20270324', 'RDATE:20270401T090000', 'EXDATE;X="'];
    expect(datesOf(lines, 'EXDATE', BERLIN)).toEqual([
      onClock('2027-03-23T09:00:00', 'Europe/Berlin'),
      onClock('2027-03-24T09:00:00', 'Europe/Berlin'),
    ]);
    expect(datesOf(lines, 'RDATE', BERLIN)).toEqual([onClock('2027-04-01T09:00:00', 'Europe/Berlin')]);
    expect(datesOf(['EXDATE:20270323T080000Z'], 'EXDATE', DAYS)).toEqual([{ kind: 'date', date: '2027-03-23' }]);
  });
});
