import { ianaZoneArithmetic } from '../zones/zone-arithmetic.js';
import { RecurrenceError } from '../errors.js';
import { parseRule, untilLike, withRuleEnd } from './rule.js';
import { parseWallValue } from './wall-value.js';

const strict = (value: string, dtstartKind: 'date' | 'zoned' = 'zoned') =>
  parseRule(value, { dtstartKind, strict: true });
const partOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof RecurrenceError) return error.part;
    throw error;
  }
  return 'accepted';
};

describe('parseRule', () => {
  it('reads every part', () => {
    expect(
      strict('RRULE:FREQ=YEARLY;INTERVAL=2;COUNT=5;WKST=SU;BYMONTH=3,1;BYDAY=-1FR,MO;BYSETPOS=-1;BYHOUR=9'),
    ).toMatchObject({
      freq: 'YEARLY',
      interval: 2,
      count: 5,
      until: null,
      weekStart: 6,
      byMonth: [1, 3],
      byDay: [
        { weekday: 4, ordinal: -1 },
        { weekday: 0, ordinal: 0 },
      ],
      bySetPos: [-1],
      byHour: [9],
      byMonthDay: null,
    });
  });

  it.each([
    ['', 'RRULE'],
    ['COUNT=3', 'FREQ'],
    ['FREQ=FORTNIGHTLY', 'FREQ'],
    ['FREQ=DAILY;COUNT=3;UNTIL=20260101T000000Z', 'COUNT'],
    ['FREQ=DAILY;COUNT=0', 'COUNT'],
    ['FREQ=DAILY;COUNT=1e9', 'COUNT'],
    ['FREQ=DAILY;INTERVAL=0', 'INTERVAL'],
    ['FREQ=DAILY;FREQ=WEEKLY', 'FREQ'],
    ['FREQ=DAILY;BYEASTER=1', 'BYEASTER'],
    ['FREQ=DAILY;DTSTART=20260101', 'DTSTART'],
    ['FREQ=DAILY\r\nDTSTART:20260101T000000Z', 'RRULE'],
    ['FREQ=DAILY\nEXDATE:20260101T000000Z', 'RRULE'],
    ['RSCALE=HEBREW;FREQ=YEARLY', 'RSCALE'],
    ['FREQ=MONTHLY;SKIP=FORWARD', 'SKIP'],
    ['FREQ=DAILY;UNTIL=tomorrow', 'UNTIL'],
    ['FREQ=DAILY;UNTIL=20260230', 'UNTIL'],
    ['FREQ=MONTHLY;BYMONTHDAY=32', 'BYMONTHDAY'],
    ['FREQ=MONTHLY;BYMONTHDAY=0', 'BYMONTHDAY'],
    ['FREQ=YEARLY;BYMONTH=13', 'BYMONTH'],
    ['FREQ=WEEKLY;BYDAY=XX', 'BYDAY'],
    ['FREQ=WEEKLY;BYDAY=2MO', 'BYDAY'],
    ['FREQ=YEARLY;BYDAY=54MO', 'BYDAY'],
    ['FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO', 'BYDAY'],
    ['FREQ=MONTHLY;BYWEEKNO=1', 'BYWEEKNO'],
    ['FREQ=MONTHLY;BYYEARDAY=1', 'BYYEARDAY'],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'BYMONTHDAY'],
    ['FREQ=MONTHLY;BYSETPOS=1', 'BYSETPOS'],
    ['FREQ=WEEKLY;WKST=1', 'WKST'],
    [`FREQ=DAILY;BYHOUR=${'1,'.repeat(3_000)}1`, 'RRULE'],
  ])('written strictly, %j is refused for %s', (value, part) => {
    expect(partOf(() => strict(value))).toBe(part);
  });

  it('refuses times of day on an all-day series', () => {
    expect(partOf(() => strict('FREQ=HOURLY', 'date'))).toBe('FREQ');
    expect(partOf(() => strict('FREQ=DAILY;BYHOUR=9', 'date'))).toBe('BYHOUR');
  });

  it.each([
    'freq=daily;byday=mo',
    'FREQ=DAILY;X-FOO=1;',
    'FREQ=DAILY;INTERVAL=0',
    'FREQ=DAILY;COUNT=3;UNTIL=20260101',
    'FREQ=WEEKLY;BYDAY=2MO',
  ])('reads what servers hold: %s', (value) => expect(parseRule(value, { dtstartKind: 'zoned' }).interval).toBe(1));
});

describe('withRuleEnd', () => {
  it.each([
    ['FREQ=DAILY;COUNT=5;BYDAY=MO', { count: 2 }, 'FREQ=DAILY;COUNT=2;BYDAY=MO'],
    ['FREQ=DAILY;count=5;X-A=1', { until: '20260101T000000Z' }, 'FREQ=DAILY;UNTIL=20260101T000000Z;X-A=1'],
    ['FREQ=DAILY', { until: '20260101' }, 'FREQ=DAILY;UNTIL=20260101'],
    ['UNTIL=20260101;FREQ=DAILY;COUNT=2', null, 'FREQ=DAILY'],
  ])('%s with %j', (value, end, expected) => expect(withRuleEnd(value, end)).toBe(expected));
});

describe('untilLike', () => {
  const berlin = ianaZoneArithmetic('Europe/Berlin');
  it.each([
    ['20260131', 'zoned', '20260131T225959Z'],
    ['20260131', 'floating', '20260131T235959'],
    ['20260131T090000', 'zoned', '20260131T080000Z'],
    ['20260131T080000Z', 'floating', '20260131T090000'],
    ['20260131T233000Z', 'date', '20260201'],
    ['20260131T080000Z', 'utc', '20260131T080000Z'],
  ] as const)('%s for a %s series is %s', (until, kind, expected) => {
    expect(untilLike(parseWallValue(until)!, kind, berlin)).toBe(expected);
  });
});
