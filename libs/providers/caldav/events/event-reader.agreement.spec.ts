import fc from 'fast-check';
import type { BusySlot, CalendarEvent } from '#domain/events';
import { DomainError } from '#domain/system';
import { mergeBusy } from '#icalendar';
import { DAY_MS, instantOf } from '#providers/kit/series';
import { EventReader } from './event-reader.js';
import { objectOf, READING } from '../testing/corpus.js';
import { allExpanded, allUnexpanded } from '../testing/read-events.js';

const BERLIN = 'Europe/Berlin';
/** Over the clock changes of Berlin. */
const WINDOW = { startMs: Date.UTC(2026, 2, 20), endMs: Date.UTC(2026, 3, 10, 5) };
const MIDDLE_MS = Date.UTC(2026, 2, 29, 1, 30);
const ME = 'me@x.example';
const CONTEXT = { ...READING, calendarTimeZone: BERLIN, ownAddresses: [ME], privateProperties: new Map() };

/** Parameters and the end of a time; null for a date. */
const clock = fc.constantFrom<[string, string | null]>(
  [`;TZID=${BERLIN}`, ''],
  [';TZID=America/New_York', ''],
  [';TZID=Asia/Tokyo', ''],
  ['', ''],
  ['', 'Z'],
  [';VALUE=DATE', null],
);
const day = fc
  .integer({ min: -12, max: 25 })
  .map((days) => new Date(WINDOW.startMs + days * DAY_MS).toISOString().slice(0, 10).replaceAll('-', ''));
const hour = fc.constantFrom('000000', '013000', '023000', '090000', '233000');
const length = fc.constantFrom(
  'DURATION:P1D',
  'DURATION:P3D',
  'DURATION:PT1H',
  'DURATION:PT26H',
  'DURATION:PT0S',
  'X:',
);
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
const change = fc.record({ of: day, ofHour: fc.option(hour), day, hour, length, busyness, isLater: fc.boolean() });
const written = fc.record({
  ...{ clock, day, hour, length, busyness, rule: fc.option(rule) },
  excluded: fc.array(fc.tuple(day, fc.option(hour)), { maxLength: 3 }),
  added: fc.array(fc.tuple(day, hour), { maxLength: 2 }),
  changes: fc.array(change, { maxLength: 3 }),
});

type Written = typeof written extends fc.Arbitrary<infer T> ? T : never;

function linesOf({ clock: [zone, end], hour: startHour, ...series }: Written) {
  const at = (date: string, time: string | null) =>
    `${zone}:${date}${end === null ? '' : `T${time ?? startHour}${end}`}`;
  return [
    ...[`DTSTART${at(series.day, startHour)}`, series.length, ...series.busyness, series.rule ?? 'X:'],
    ...series.excluded.map(([date, time]) => `EXDATE${at(date, time)}`),
    ...series.added.map(([date, time]) => `RDATE${at(date, time)}`),
    ...series.changes.flatMap(({ isLater, ...other }) => [
      ...['END:VEVENT', 'BEGIN:VEVENT', 'UID:TEST'],
      `RECURRENCE-ID${isLater ? ';RANGE=THISANDFUTURE' : ''}${at(other.of, other.ofHour)}`,
      ...[`DTSTART${at(other.day, other.hour)}`, other.length, ...other.busyness],
    ]),
  ];
}

const slotOf = ({ start, end }: CalendarEvent): BusySlot => ({
  startMs: instantOf(start, BERLIN),
  endMs: instantOf(end, BERLIN),
});
const idsOf = (events: readonly CalendarEvent[]) => [...new Set(events.map(({ id }) => id))].sort();

const reader = new EventReader();

it('shows a single event whatever its EXDATE says, and counts it as busy', () => {
  const text = objectOf('DTSTART:20260323T090000Z', 'DTEND:20260323T100000Z', 'EXDATE:20260323T090000Z');
  const slot = { startMs: Date.UTC(2026, 2, 23, 9), endMs: Date.UTC(2026, 2, 23, 10) };
  expect(allExpanded(text, CONTEXT, WINDOW).map(slotOf)).toEqual([slot]);
  expect(reader.busy(text, { window: WINDOW, floatingTimeZone: BERLIN, ownAddresses: [] })).toEqual([slot]);
});

it('reads a changed instance that a list shows by its id, although the rule of its series is unusable', () => {
  const text = objectOf(
    ...['DTSTART:20260323T090000Z', 'RRULE:FREQ=NEVER', 'STATUS:CANCELLED', 'END:VEVENT'],
    ...['BEGIN:VEVENT', 'UID:TEST', 'RECURRENCE-ID:20260324T090000Z', 'DTSTART:20260324T110000Z'],
  );
  const [shown] = allExpanded(text, CONTEXT, WINDOW).filter(({ isCancelled }) => !isCancelled);
  expect(shown).toMatchObject({ id: 'event1_20260324T090000Z', recurringEventId: 'event1' });
  expect(reader.instance(text, CONTEXT, '20260324T090000Z')).toEqual(shown);
  expect(reader.instance(text, CONTEXT, '20260325T090000Z')).toBeNull();
});

it('lists, reads by id and free/busy agree about any event', () => {
  fc.assert(
    fc.property(written, (series) => {
      const text = objectOf(...linesOf(series));
      let events: CalendarEvent[];
      try {
        events = allExpanded(text, CONTEXT, WINDOW);
      } catch (error) {
        // A series that cannot be expanded.
        if (error instanceof DomainError) return;
        throw error;
      }
      const shown = events.filter(({ isCancelled }) => !isCancelled);

      let isExact = true;
      const onUnreadable = () => (isExact = false);
      const query = { window: WINDOW, floatingTimeZone: BERLIN, ownAddresses: [ME] };
      const busy = reader.busy(text, { ...query, onUnreadable, onUnexpandable: onUnreadable });
      const blocking = shown.filter(
        (event) => event.transparency === 'opaque' && event.myResponseStatus !== 'declined',
      );
      if (isExact) expect(mergeBusy(busy, WINDOW)).toEqual(mergeBusy(blocking.map(slotOf), WINDOW));

      for (const event of shown.filter(({ recurringEventId }) => recurringEventId !== undefined)) {
        const instanceDate = event.id.slice(CONTEXT.eventId.length + 1);
        expect(reader.instance(text, CONTEXT, instanceDate)).toEqual(event);
      }

      const halves = [
        ...allExpanded(text, CONTEXT, { startMs: WINDOW.startMs, endMs: MIDDLE_MS }),
        ...allExpanded(text, CONTEXT, { startMs: MIDDLE_MS, endMs: WINDOW.endMs }),
      ];
      expect(idsOf(halves)).toEqual(idsOf(events));

      const unexpanded = idsOf(allUnexpanded(text, CONTEXT, WINDOW));
      if (shown.some(({ id }) => !unexpanded.includes(id))) expect(unexpanded).toContain(CONTEXT.eventId);
    }),
    { numRuns: 1_000 },
  );
});
