import fc from 'fast-check';
import rrulePackage from 'rrule';
import { RRuleTemporal } from 'rrule-temporal';
import { ianaZoneArithmetic } from '../zones/zone-arithmetic.js';
import { visitInstances } from './expand-rule.js';
import { parseRule } from './rule.js';
import { basicLocal } from './wall-value.js';
import { Work } from '../work.js';

const { rrulestr } = rrulePackage;

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** Starts of a rule between two wall-clock times; DTSTART only when it fits the rule. */
function ours(rrule: string, dtstart: number, timeZone: string, from: number, to: number): string[] {
  const rule = parseRule(rrule, { dtstartKind: 'zoned' });
  const starts: string[] = [];
  const zone = ianaZoneArithmetic(timeZone);
  const seed = { wallMs: dtstart, isDate: false, zone, countsSeed: false, work: Work.ofRecurrence(100_000) };
  visitInstances(rule, seed, { fromWall: from, toWall: to }, (wall) => starts.push(basicLocal(wall)) > 0);
  return starts;
}

function rruleTemporal(rrule: string, dtstart: number, timeZone: string, from: number, to: number): string[] {
  const zone = ianaZoneArithmetic(timeZone);
  const rule = new RRuleTemporal({
    rruleString: `DTSTART;TZID=${timeZone}:${basicLocal(dtstart)}\nRRULE:${rrule}`,
    maxIterations: 1_000_000,
    cache: false,
  });
  return rule
    .between(new Date(zone.toInstant(from)!), new Date(zone.toInstant(to)! - 1), true)
    .map((time) => basicLocal(zone.toWall(time.epochMilliseconds)!));
}

function rruleJs(rrule: string, dtstart: number, from: number, to: number): string[] {
  return rrulestr(`DTSTART:${basicLocal(dtstart)}Z\nRRULE:${rrule}`)
    .between(new Date(from), new Date(to - 1), true)
    .map((time) => basicLocal(time.getTime()));
}

const subset = <T>(values: T[], maxLength: number) => fc.subarray(values, { minLength: 1, maxLength });
const optional = (arbitrary: fc.Arbitrary<string>, weight = 2) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight, arbitrary });
const signed = (max: number) => [...Array(max).keys()].flatMap((n) => [n + 1, -n - 1]);

const interval = optional(fc.integer({ min: 1, max: 5 }).map((n) => `;INTERVAL=${n}`));
const byMonth = optional(subset([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 4).map((v) => `;BYMONTH=${v.join(',')}`));
const byMonthDay = optional(subset(signed(31), 5).map((v) => `;BYMONTHDAY=${v.join(',')}`));
const byDay = optional(subset(WEEKDAYS, 5).map((v) => `;BYDAY=${v.join(',')}`));
const ordinalDay = fc.tuple(fc.constantFrom('1', '2', '3', '4', '5', '-1', '-2', '-5'), fc.constantFrom(...WEEKDAYS));
const byOrdinalDay = optional(
  fc
    .uniqueArray(
      ordinalDay.map(([n, day]) => n + day),
      { minLength: 1, maxLength: 3 },
    )
    .map((v) => `;BYDAY=${v.join(',')}`),
);
const byTime = optional(
  fc
    .tuple(subset([0, 1, 2, 3, 9, 13, 23], 2), subset([0, 15, 30, 59], 2))
    .map(([hours, minutes]) => `;BYHOUR=${hours.join(',')};BYMINUTE=${minutes.join(',')}`),
  1,
);
const bySetPos = fc.constantFrom('', '', '', ';BYSETPOS=1', ';BYSETPOS=-1', ';BYSETPOS=2,-2', ';BYSETPOS=1,3');
const weekStart = fc.constantFrom('', '', ';WKST=SU', ';WKST=SA', ';WKST=TH');
const end = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 400 }).map((n) => `;COUNT=${n}`) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 0, max: 3_000 })
      .map((n) => `;UNTIL=${basicLocal(Date.UTC(2016, 0, 1) + n * 86_400_000)}Z`),
  },
);

const daily = fc
  .tuple(interval, byMonth, byMonthDay, byDay, byTime, weekStart, end)
  .map((p) => `FREQ=DAILY${p.join('')}`);
const weekly = fc.tuple(interval, byMonth, byDay, byTime, weekStart, end).map((p) => `FREQ=WEEKLY${p.join('')}`);
const monthly = fc
  .tuple(interval, byMonth, byMonthDay, fc.oneof(byDay, byOrdinalDay), byTime, end)
  .chain((p) => bySetPos.map((s) => `FREQ=MONTHLY${p.join('')}${p.slice(1, 5).join('') === '' ? '' : s}`));
const yearly = fc
  .tuple(interval, byMonth, byMonthDay, fc.oneof(byDay, byOrdinalDay), byTime, end)
  // rrule-temporal ignores BYMONTHDAY beside an ordinal BYDAY without BYMONTH (ggaabe/rrule-temporal#140).
  .filter(([, months, monthDays, days]) => !(months === '' && monthDays !== '' && /\d/.test(days)))
  .chain((p) => bySetPos.map((s) => `FREQ=YEARLY${p.join('')}${p.slice(1, 5).join('') === '' ? '' : s}`));
/** BYYEARDAY and BYWEEKNO; without INTERVAL, since nobody says which year a week at its turn belongs to. */
const yearParts = fc
  .tuple(
    fc.oneof(
      subset(signed(366), 6).map((v) => `;BYYEARDAY=${v.join(',')}`),
      fc
        .tuple(subset(signed(53), 5), subset(WEEKDAYS, 3))
        .map(([weeks, days]) => `;BYWEEKNO=${weeks.join(',')};BYDAY=${days.join(',')}`),
    ),
    byMonth,
    weekStart,
    byTime,
  )
  .map((p) => `FREQ=YEARLY${p.join('')}`);
const byMinute = optional(subset([0, 7, 30, 59], 3).map((v) => `;BYMINUTE=${v.join(',')}`));
const byHour = optional(subset([0, 3, 9, 17, 23], 3).map((v) => `;BYHOUR=${v.join(',')}`));
const hourly = fc.tuple(interval, byMonth, byDay, byHour, byMinute, end).map((p) => `FREQ=HOURLY${p.join('')}`);
const minutely = fc
  .tuple(fc.constantFrom(';INTERVAL=45', ';INTERVAL=720', ';INTERVAL=1000'), byMonth, byDay, byHour, end)
  .map((p) => `FREQ=MINUTELY${p.join('')}`);

const anyRule = fc.oneof(daily, weekly, monthly, yearly);

const dtstart = fc
  .integer({ min: Date.UTC(2010, 0, 1) / 900_000, max: Date.UTC(2016, 0, 1) / 900_000 })
  .map((quarterHours) => quarterHours * 900_000);
const window = fc.integer({ min: 0, max: 3_650 }).chain((days) =>
  fc.integer({ min: 1, max: 500 }).map((length) => {
    const from = Date.UTC(2012, 0, 1) + days * 86_400_000;
    return { from, to: from + length * 86_400_000 };
  }),
);

/** Moves DTSTART onto the rule: the two libraries differ about one that does not fit, and so do calendar programs. */
function fitting(rrule: string, start: number, timeZone: string): number | null {
  const first = ours(rrule.replace(/;(COUNT|UNTIL)=[^;]*/, ''), start, timeZone, start, start + 366 * 86_400_000)[0];
  return first === undefined ? null : Date.parse(first.replace(/(....)(..)(..)T(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z'));
}

describe('rules, compared with the libraries', () => {
  it.each(['UTC', 'America/New_York', 'Australia/Lord_Howe'])('agree with rrule-temporal in %s', (timeZone) => {
    fc.assert(
      fc.property(anyRule, dtstart, window, (rrule, start, { from, to }) => {
        const first = fitting(rrule, start, timeZone);
        fc.pre(first !== null);
        expect({ start: basicLocal(first), starts: ours(rrule, first, timeZone, from, to) }).toEqual({
          start: basicLocal(first),
          starts: rruleTemporal(rrule, first, timeZone, from, to),
        });
      }),
      { numRuns: Number(process.env['RUNS'] ?? 150) },
    );
  });

  it.each([
    ['days and weeks of the year', yearParts],
    ['hours and minutes', fc.oneof(hourly, minutely)],
  ])('agree with rrule-temporal about %s', (_, rules) => {
    fc.assert(
      fc.property(rules, dtstart, window, (rrule, start, { from, to }) => {
        const first = fitting(rrule, start, 'UTC');
        fc.pre(first !== null && first < to && to - from < 120 * 86_400_000);
        // rrule-temporal misses the days of a week that began in the year before the window, or before DTSTART.
        fc.pre(!(rrule.includes('BYWEEKNO') && /^....010[1-7]/.test(basicLocal(first))));
        const earlier = from - 8 * 86_400_000;
        const theirs = rruleTemporal(rrule, first, 'UTC', earlier, to).filter((start) => start >= basicLocal(from));
        expect({ start: basicLocal(first), starts: ours(rrule, first, 'UTC', from, to) }).toEqual({
          start: basicLocal(first),
          starts: theirs,
        });
      }),
      { numRuns: Number(process.env['RUNS'] ?? 40) },
    );
  });

  it('agree with rrule, where that one agrees with rrule-temporal', () => {
    fc.assert(
      fc.property(anyRule, dtstart, window, (rrule, start, { from, to }) => {
        const first = fitting(rrule, start, 'UTC');
        fc.pre(first !== null);
        const expected = rruleJs(rrule, first, from, to);
        // rrule wraps a BYSETPOS that reaches beyond the set.
        fc.pre(expected.join() === rruleTemporal(rrule, first, 'UTC', from, to).join());
        expect(ours(rrule, first, 'UTC', from, to)).toEqual(expected);
      }),
      { numRuns: Number(process.env['RUNS'] ?? 150) },
    );
  });

  it('have the days of the last week of a year in the next one, as rrule has', () => {
    const rule = 'FREQ=YEARLY;BYWEEKNO=52;BYDAY=FR,SU;WKST=SA;BYHOUR=2;BYMINUTE=59';
    const [first, from, to] = [Date.UTC(2010, 0, 1, 2, 59), Date.UTC(2016, 0, 1), Date.UTC(2016, 11, 31)];
    const expected = ['20160101T025900', '20161225T025900', '20161230T025900'];
    expect(ours(rule, first, 'UTC', from, to)).toEqual(expected);
    expect(rruleJs(rule, first, from, to)).toEqual(expected);
  });
});
