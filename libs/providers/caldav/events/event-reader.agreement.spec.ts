import fc from 'fast-check';
import type { BusySlot, CalendarEvent } from '#domain/events';
import { DomainError } from '#domain/system';
import { mergeBusy } from '#icalendar';
import { instantOf } from '#providers/kit/series';
import { EventReader } from './event-reader.js';
import { anySeries, BERLIN, ME, READING_AS_ME, textOf } from '../testing/any-series.js';
import { objectOf } from '../testing/corpus.js';
import { allExpanded, allUnexpanded } from '../testing/read-events.js';

/** Over the clock changes of Berlin. */
const WINDOW = { startMs: Date.UTC(2026, 2, 20), endMs: Date.UTC(2026, 3, 10, 5) };
const MIDDLE_MS = Date.UTC(2026, 2, 29, 1, 30);
const CONTEXT = READING_AS_ME;

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
    fc.property(anySeries, (series) => {
      const text = textOf(series);
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
