import fc from 'fast-check';
import { DAY_MS } from '#providers/kit/series';
import type { EventContext } from '../events/contract.js';
import { objectOf, READING } from './corpus.js';

export const BERLIN = 'Europe/Berlin';
export const ME = 'me@x.example';
export const READING_AS_ME: EventContext = { ...READING, calendarTimeZone: BERLIN, ownAddresses: [ME] };

/** Days around the clock changes of New York and Berlin. */
const day = fc.integer({ min: 0, max: 37 }).map((days) => dayAfter('20260308', days));
const hour: fc.Arbitrary<string> = fc.constantFrom('000000', '013000', '023000', '090000', '233000');
/** Parameters and suffix of times; a null suffix for dates. */
const clock = fc.constantFrom<[string, string | null]>(
  [`;TZID=${BERLIN}`, ''],
  [';TZID=America/New_York', ''],
  [';TZID=Asia/Tokyo', ''],
  ['', ''],
  ['', 'Z'],
  [';VALUE=DATE', null],
);
/** A duration, days until DTEND, or null for neither. */
const length = fc.constantFrom('P1D', 'P3D', 'PT1H', 'PT26H', 'PT0S', 1, 2, 3, null);
const busyness = fc.subarray(
  [
    ...['TRANSP:TRANSPARENT', 'STATUS:CANCELLED', 'STATUS:TENTATIVE', 'X-MICROSOFT-CDO-BUSYSTATUS:FREE'],
    `ATTENDEE;PARTSTAT=DECLINED:mailto:${ME}`,
  ],
  { maxLength: 2 },
);
const rule = fc
  .tuple(
    fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'HOURLY'),
    fc.constantFrom('', ';INTERVAL=2', ';INTERVAL=5'),
    fc.constantFrom('', ';COUNT=3', ';COUNT=9', ';UNTIL=20260401', ';UNTIL=20260401T070000Z'),
    fc.constantFrom('', ';BYDAY=MO,WE,FR', ';BYDAY=SU'),
  )
  .map((parts) => `RRULE:FREQ=${parts.join('')}`);

export const anySeries = fc.record({
  ...{ clock, day, hour, length, busyness, rule: fc.option(rule) },
  excluded: fc.array(fc.tuple(day, fc.option(hour)), { maxLength: 3 }),
  added: fc.array(fc.tuple(day, hour), { maxLength: 2 }),
  changes: fc.uniqueArray(
    fc.record({ of: day, ofHour: fc.option(hour), isLater: fc.boolean(), day, hour, length, busyness }),
    { maxLength: 3, selector: ({ of }) => of },
  ),
});

export type AnySeries = typeof anySeries extends fc.Arbitrary<infer T> ? T : never;

/** The object of the series, with an override for each of its changes. */
export function textOf({ clock: [parameters, suffix], hour: startHour, ...series }: AnySeries): Buffer {
  const at = (date: string, time: string | null) =>
    `${parameters}:${date}${suffix === null ? '' : `T${time ?? startHour}${suffix}`}`;
  const span = (own: Pick<AnySeries, 'day' | 'length'>, from: string) => [
    `DTSTART${at(own.day, from)}`,
    ...(typeof own.length === 'number' ? [`DTEND${at(dayAfter(own.day, own.length), '110000')}`] : []),
    // A date lasts whole days.
    ...(typeof own.length === 'string' && (suffix !== null || !own.length.includes('T'))
      ? [`DURATION:${own.length}`]
      : []),
  ];
  return objectOf(
    ...[...span(series, startHour), ...series.busyness, ...(series.rule === null ? [] : [series.rule])],
    ...series.excluded.map(([date, time]) => `EXDATE${at(date, time)}`),
    ...series.added.map(([date, time]) => `RDATE${at(date, time)}`),
    ...series.changes.flatMap((change) => [
      ...['END:VEVENT', 'BEGIN:VEVENT', 'UID:TEST'],
      `RECURRENCE-ID${change.isLater ? ';RANGE=THISANDFUTURE' : ''}${at(change.of, change.ofHour)}`,
      ...[...span(change, change.hour), ...change.busyness],
    ]),
  );
}

function dayAfter(date: string, days: number): string {
  const ms = Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6)));
  return new Date(ms + days * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');
}
