import fc from 'fast-check';
import type { CalendarEvent } from '#domain/events';
import { DomainError } from '#domain/system';
import { instantOf } from '#providers/kit/series';
import { EventWriter } from './event-writer.js';
import { anySeries, BERLIN, ME, READING_AS_ME, textOf, type AnySeries } from '../testing/any-series.js';
import { WRITING } from '../testing/corpus.js';
import { allExpanded } from '../testing/read-events.js';

const WINDOW = { startMs: Date.UTC(2026, 1, 1), endMs: Date.UTC(2026, 6, 1) };
const CONTEXT = { ...WRITING, calendarTimeZone: BERLIN, ownAddresses: [ME], organizer: `mailto:${ME}` };
const NEW = { title: 'New' };
const MAY = { kind: 'dateTime', local: '2026-05-05T10:00:00', timeZone: null, offsetMinutes: null } as const;

const writer = new EventWriter();

const read = (text: Uint8Array) => allExpanded(text, READING_AS_ME, WINDOW).filter(({ isCancelled }) => !isCancelled);
const originalMs = ({ originalStart, start }: CalendarEvent) => instantOf(originalStart ?? start, BERLIN);
/** What users see of it. Another id is allowed for a series that becomes a single event. */
const seen = (event: CalendarEvent) => ({
  ...{ original: originalMs(event), title: event.title, transparency: event.transparency },
  ...{ startMs: instantOf(event.start, BERLIN), endMs: instantOf(event.end, BERLIN) },
});
const inOrder = (events: readonly CalendarEvent[]) => events.map(seen).sort((a, b) => a.original - b.original);
const places = (events: readonly CalendarEvent[]) => inOrder(events).map(({ title: _, ...place }) => place);

/** Returns undefined for what the writer refuses. */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof DomainError) return undefined;
    throw error;
  }
}

/** Leaves only the changes of instances that the series has. */
function withoutStrays(series: AnySeries): AnySeries | undefined {
  const whole = unlessRefused(() => read(textOf({ ...series, busyness: [], changes: [] })));
  const own = new Map(
    whole?.map(({ originalStart: time }) => {
      const text = time === undefined ? '' : time.kind === 'date' ? time.date : time.local;
      return [text.slice(0, 10).replaceAll('-', ''), text.slice(11).replaceAll(':', '') || null];
    }),
  );
  const changes = series.changes.filter(({ of }) => own.has(of));
  return whole && { ...series, changes: changes.map((c) => ({ ...c, ofHour: own.get(c.of) ?? null, isLater: false })) };
}

it('an edit of one instance, of later ones or of all changes nothing else', () => {
  let edits = 0;
  fc.assert(
    fc.property(anySeries, fc.nat(), (given, index) => {
      // RFC 5545 §3.8.5.2: a series begins at its DTSTART.
      const series = given.added.every(([day]) => day > given.day) ? withoutStrays(given) : undefined;
      const text = series && textOf(series);
      const before = (text && unlessRefused(() => read(text))) ?? [];
      const instances = before.filter(({ recurringEventId }) => recurringEventId !== undefined);
      const target = instances[index % instances.length];
      if (text === undefined || target === undefined) return;
      edits += 1;
      const date = target.id.slice(READING_AS_ME.eventId.length + 1);
      const others = before.filter(({ id }) => id !== target.id);
      const earlier = before.filter((event) => originalMs(event) < originalMs(target));
      const change = (...args: [string | null, 'this' | 'following' | 'all', object]) =>
        unlessRefused(() => writer.update(text, ...args, CONTEXT));
      const remove = (scope: 'this' | 'following') => unlessRefused(() => writer.remove(text, date, scope, CONTEXT));

      const removed = remove('this');
      if (removed !== undefined) expect(removed === null ? [] : inOrder(read(removed))).toEqual(inOrder(others));

      const ended = remove('following');
      if (ended !== undefined) expect(ended === null ? [] : inOrder(read(ended))).toEqual(inOrder(earlier));

      const changed = change(date, 'this', NEW);
      if (changed) expect(inOrder(read(changed.body))).toEqual(inOrder([...others, { ...target, ...NEW }]));

      const moved = change(date, 'this', { start: MAY, end: { ...MAY, local: '2026-05-05T11:00:00' } });
      if (moved) expect(inOrder(read(moved.body).filter(({ id }) => id !== target.id))).toEqual(inOrder(others));

      const whole = change(null, 'all', NEW);
      if (whole) expect(places(read(whole.body))).toEqual(places(before));

      const cut = change(date, 'following', NEW);
      if (cut?.split) {
        expect(inOrder(read(cut.body))).toEqual(inOrder(earlier));
        expect(places([...read(cut.body), ...read(cut.split.body)])).toEqual(places(before));
      }
    }),
    { numRuns: 600 },
  );
  expect(edits).toBeGreaterThan(100);
});
