/**
 * Reading a calendar for one month, against the cost of merely parsing its text with ical.js in the same process.
 *
 *     nest build && node test/bench/recurrence.bench.ts
 *
 * Prints JSON: one row per question, with its ratio and the limit it has to stay below. Exit code 1 beyond a limit.
 */
import { pathToFileURL } from 'node:url';
import ICAL from 'ical.js';
import rrulePackage from 'rrule';
import {
  busyOfCalendar,
  expandSeries,
  IcsDocument,
  ianaZoneArithmetic,
  mergeBusy,
  objectZones,
  seriesOf,
  UNBOUNDED_LIMITS,
} from '#icalendar';

export interface BenchRow {
  name: string;
  /** Ours divided by the yardstick. */
  ratio: number;
  limit: number;
  /** Times behind the ratio, milliseconds of processor time. */
  oursMs: number;
  yardstickMs: number;
}

const WINDOW = { startMs: Date.UTC(2026, 10, 1), endMs: Date.UTC(2026, 11, 1) };
const FLOATING_TIME_ZONE = 'Europe/Berlin';
const OWN_ADDRESSES = ['mailto:me@example.org'];

function freeBusy(text: string): number {
  const [calendar] = IcsDocument.parse(text, UNBOUNDED_LIMITS).calendars;
  const options = { floatingTimeZone: FLOATING_TIME_ZONE, ownAddresses: OWN_ADDRESSES };
  return mergeBusy(busyOfCalendar(calendar!, WINDOW, options), WINDOW).length;
}

function oneMonth(text: string): number {
  const [calendar] = IcsDocument.parse(text, UNBOUNDED_LIMITS).calendars;
  const zones = objectZones(calendar!);
  const options = { floatingZone: ianaZoneArithmetic(FLOATING_TIME_ZONE) };
  let count = 0;
  for (const series of seriesOf(calendar!)) count += expandSeries(series, zones, WINDOW, options).length;
  return count;
}

function bareParse(text: string): number {
  return (ICAL.parse(text) as unknown[]).length;
}

/**
 * Processor time of several functions run by turns, so that a busy machine slows all alike: the mean of the middle half,
 * since some machines count it in steps of 4 ms. In ms.
 */
function usualTimes(functions: (() => number)[], rounds: number): number[] {
  const samples: number[][] = functions.map(() => []);
  for (let round = -3; round < rounds; round++) {
    for (const [index, measured] of functions.entries()) {
      const start = process.threadCpuUsage();
      if (measured() === 0) throw new Error('Nothing found: the benchmark measures nothing');
      const { user, system } = process.threadCpuUsage(start);
      if (round >= 0) samples[index]!.push((user + system) / 1_000);
    }
  }
  return samples.map((times) => {
    const middle = times.sort((a, b) => a - b).slice(times.length / 4, -times.length / 4);
    return middle.reduce((sum, ms) => sum + ms, 0) / middle.length;
  });
}

function row(name: string, oursMs: number, yardstickMs: number, limit: number): BenchRow {
  const round = (value: number) => Math.round(value * 1_000) / 1_000;
  return { name, ratio: round(oursMs / yardstickMs), limit, oursMs: round(oursMs), yardstickMs: round(yardstickMs) };
}

export function run(): BenchRow[] {
  const rows: BenchRow[] = [];
  for (const [share, limit] of [
    [0.1, 2],
    [0.3, 2.5],
  ] as const) {
    const busyTimes: number[] = [];
    const expandTimes: number[] = [];
    const parseTimes: number[] = [];
    for (const size of [1_000, 10_000]) {
      const text = calendarText(size, share);
      const [parse, busy, expand] = usualTimes(
        [() => bareParse(text), () => freeBusy(text), () => oneMonth(text)],
        size > 1_000 ? 9 : 31,
      ) as [number, number, number];
      const what = `${size} events, ${share * 100} % recurring, one month, against ICAL.parse`;
      rows.push(row(`free/busy: ${what}`, busy, parse, limit), row(`expansion: ${what}`, expand, parse, limit));
      parseTimes.push(parse);
      busyTimes.push(busy);
      expandTimes.push(expand);
    }
    // A machine that is short of memory slows the larger text for both: the yardstick is how much slower parsing gets.
    const what = `growth from 1000 to 10000 events, ${share * 100} % recurring, against that of ICAL.parse`;
    const parseGrowth = parseTimes[1]! / parseTimes[0]!;
    rows.push(
      growth(`free/busy: ${what}`, busyTimes, parseGrowth),
      growth(`expansion: ${what}`, expandTimes, parseGrowth),
    );
  }
  const text = calendarText(10_000, 0.1);
  const parseOnly = () => IcsDocument.parse(text, UNBOUNDED_LIMITS).calendars.length;
  const [bare, ours] = usualTimes([() => bareParse(text), parseOnly], 9) as [number, number];
  rows.push(row('reading 10000 events, 10 % recurring, against ICAL.parse', ours, bare, 0.5));
  rows.push(tenYearOldRule());
  return rows;
}

/** Linear is as linear as reading the text. */
function growth(name: string, [small = 0, large = 0]: number[], parseGrowth: number): BenchRow & { detail: string } {
  const factor = large / small;
  const detail = `${factor.toFixed(1)} times the time for 10 times the events; ICAL.parse: ${parseGrowth.toFixed(1)} times`;
  return { name, ratio: factor / parseGrowth, limit: 1.3, oursMs: large, yardstickMs: small, detail };
}

/** A daily rule of ten years ago, expanded into this month, against the package `rrule`. */
function tenYearOldRule(): BenchRow {
  const text = [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    'UID:1',
    'DTSTART:20161101T090000Z',
    'DTEND:20161101T093000Z',
    'RRULE:FREQ=DAILY',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
  const calendar = IcsDocument.parse(text).calendars[0]!;
  const zones = objectZones(calendar);
  const options = { floatingZone: ianaZoneArithmetic('UTC') };
  const [series] = seriesOf(calendar);
  const times = 100;
  const repeat = (count: () => number) => () => {
    let total = 0;
    for (let index = 0; index < times; index++) total += count();
    return total;
  };
  const [ours, theirs] = usualTimes(
    [
      repeat(() => expandSeries(series!, zones, WINDOW, options).length),
      repeat(() => {
        const rule = rrulePackage.rrulestr('DTSTART:20161101T090000Z\nRRULE:FREQ=DAILY');
        return rule.between(new Date(WINDOW.startMs), new Date(WINDOW.endMs), true).length;
      }),
    ],
    15,
  ) as [number, number];
  return row('ten-year-old daily rule into one month, against rrule', ours / times, theirs / times, 1 / 20);
}

/** Rules as people have them, with the time of their DTSTART. */
const RULES = [
  'FREQ=WEEKLY;BYDAY=MO,WE,FR',
  'FREQ=WEEKLY',
  'FREQ=DAILY',
  'FREQ=MONTHLY;BYDAY=2TU',
  'FREQ=MONTHLY;BYMONTHDAY=15',
  'FREQ=YEARLY',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;WKST=SU',
  'FREQ=WEEKLY;UNTIL=20270630T215959Z;BYDAY=TH',
  'FREQ=DAILY;COUNT=2000',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
];
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata'];
const FIRST_DAY = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

/**
 * A calendar of `size` events in one text: single ones all over two years, and a `share` of series that began in the
 * six years before; each fiftieth series has a moved instance, each tenth an exception. Always the same.
 */
function calendarText(size: number, share: number): string {
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Example//Bench//EN'];
  let random = 42;
  const next = (below: number) => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return random % below;
  };
  for (let index = 0; index < size; index++) {
    const isSeries = next(1_000) < share * 1_000;
    const zone = ZONES[next(ZONES.length)]!;
    const day = FIRST_DAY + (isSeries ? -next(2_190) : next(730)) * DAY_MS;
    const start = day + (7 + next(12)) * 3_600_000 + next(4) * 900_000;
    const end = start + (1 + next(4)) * 1_800_000;
    const event = (own: string[]) =>
      lines.push(
        'BEGIN:VEVENT',
        `UID:${index}-5f9e0d2c-7d5b-4f0e@example.org`,
        `DTSTAMP:${basic(FIRST_DAY)}Z`,
        `CREATED:${basic(FIRST_DAY)}Z`,
        `LAST-MODIFIED:${basic(FIRST_DAY)}Z`,
        'SEQUENCE:0',
        `SUMMARY:Event number ${index}\\, with a title`,
        'DESCRIPTION:A description as it stands in invitations\\, which is longer than ',
        ' one line and therefore folded.',
        'LOCATION:Room 4',
        `STATUS:${next(20) === 0 ? 'TENTATIVE' : 'CONFIRMED'}`,
        `TRANSP:${next(10) === 0 ? 'TRANSPARENT' : 'OPAQUE'}`,
        ...own,
        'END:VEVENT',
      );
    const times = [`DTSTART;TZID=${zone}:${basic(start)}`, `DTEND;TZID=${zone}:${basic(end)}`];
    if (!isSeries) {
      event(times);
      continue;
    }
    const exdate = next(10) === 0 ? [`EXDATE;TZID=${zone}:${basic(start + 28 * DAY_MS)}`] : [];
    event([...times, `RRULE:${RULES[next(RULES.length)]!}`, ...exdate]);
    if (next(50) === 0) event([`RECURRENCE-ID;TZID=${zone}:${basic(start)}`, ...times]);
  }
  lines.push('END:VCALENDAR', '');
  return lines.join('\r\n');
}

function basic(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 19).replace(/[-:]/g, '');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const rows = run();
  console.log(JSON.stringify(rows, null, 2));
  process.exitCode = rows.every(({ ratio, limit }) => ratio <= limit) ? 0 : 1;
}
