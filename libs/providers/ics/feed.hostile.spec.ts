import fc from 'fast-check';
import { DomainError } from '#domain/system';
import { IcsSyntaxError } from '#icalendar';
import { EventReader } from '#providers/caldav';
import { overlaps } from '#providers/kit/events';
import { Feed, type FeedObject } from './feed.js';
import { FeedError } from './feed-error.js';

const JANUARY = { startMs: Date.UTC(2026, 0, 1), endMs: Date.UTC(2026, 1, 1) };
const WINDOWS = [JANUARY, { startMs: Date.UTC(2026, 0, 6), endMs: null }, { startMs: null, endMs: JANUARY.startMs }];

const time = fc.constantFrom(
  ...['20260105', '20260105T233000', '20260105T090000Z', '20251231T235900Z', '20260131T230000', '20260201', 'x', ''],
  ...['99991231T235959Z', '00010101T000000', '20260230', '20260105T0900'],
);
const zone = fc.constantFrom(
  ...['', ';TZID=Europe/Berlin', ';TZID=Nowhere', ';VALUE=DATE', ';TZID=Pacific/Kiritimati', ';TZID=Etc/GMT+12'],
);
const timed = fc
  .tuple(fc.constantFrom('DTSTART', 'DTSTART', 'DTEND', 'EXDATE', 'RDATE', 'RECURRENCE-ID', 'dtstart'), zone, time)
  .map(([name, parameters, value]) => `${name}${parameters}:${value}`);
const line = fc.oneof(
  timed,
  fc.constantFrom(
    ...[
      'RRULE:FREQ=DAILY',
      'RRULE:FREQ=WEEKLY;COUNT=3',
      'RRULE:FREQ=DAILY;UNTIL=20260108',
      'RRULE:x',
      'UID:b',
      'UID: a ',
    ],
    ...['RDATE;VALUE=PERIOD:20260110T100000Z/PT48H', 'DURATION:P1D', 'DURATION:P400D', 'DURATION:-PT1H', ' folded', ''],
    ...['BEGIN:VEVENT', 'END:VEVENT', 'BEGIN:VALARM', 'END:VALARM', 'END:VCALENDAR', 'METHOD:CANCEL', 'TZID:Nowhere'],
    ...['BEGIN', 'BEGIN:', 'BEGIN;X=1:VALARM', 'END:', 'END;X=1:VEVENT', 'BEGIN:VTIMEZONE', 'END:VTIMEZONE', ':'],
  ),
);

const reader = new EventReader();

function eventsOf(feed: Feed, object: FeedObject) {
  const { timeZone } = feed.facts;
  const context = { eventId: object.id, ownAddresses: [], privateProperties: new Map() };
  const reading = { ...context, calendarTimeZone: timeZone ?? 'UTC' };
  try {
    return [...reader.eachExpanded(feed.textOf(object), reading, JANUARY)];
  } catch (error) {
    if (error instanceof DomainError || error instanceof IcsSyntaxError) return [];
    throw error;
  }
}

it('a hostile feed is read or refused by name, and a window holds all of its events', async () => {
  const lines = fc.array(line, { minLength: 1, maxLength: 18 });
  await fc.assert(
    fc.asyncProperty(lines, fc.constantFrom('\r\n', '\n', '\r'), async (body, lineEnd) => {
      const text = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:a', ...body, 'END:VEVENT', 'END:VCALENDAR', ''].join(
        lineEnd,
      );
      const feed = await Feed.read(Buffer.from(text), 'uid').catch((error: unknown) => {
        if (error instanceof FeedError) return null;
        throw error;
      });
      for (const object of feed?.objects ?? []) {
        const events = eventsOf(feed!, object);
        for (const window of WINDOWS) {
          const isIn = events.some((event) => overlaps(event, window, feed!.facts.timeZone ?? 'UTC'));
          if (isIn) expect([...feed!.objectsFrom('', window)]).toContain(object);
        }
      }
    }),
    { numRuns: 2_000 },
  );
});
