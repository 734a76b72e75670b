import fc from 'fast-check';
import { IcsDocument, IcsSyntaxError } from '#icalendar';
import { EventReader } from './event-reader.js';
import { EventWriter } from './event-writer.js';
import { CORPUS, object, objectOf, READING, times, WRITING, YEAR } from '../testing/corpus.js';
import { allExpanded, allowed, allUnexpanded } from '../testing/read-events.js';

const reader = new EventReader();
const writer = new EventWriter();
const WINDOW = { startMs: Date.UTC(2026, 0, 1), endMs: Date.UTC(2026, 1, 1) };

const time = fc.constantFrom(
  ...['20260105', '20260105T090000', '20260105T090000Z', '99991231T235959Z', '00010101T000000', '20260230', '', 'x'],
  ...['20260329T023000', '20260105T0900', '20260105T090000/PT1H', '20260105T090000Z/20260101T000000Z'],
);
const zone = fc.constantFrom(
  '',
  '',
  ';TZID=Europe/Berlin',
  ';TZID=Nowhere',
  ';VALUE=DATE',
  ';TZID=',
  ';TZID="Customized; Zone"',
);
const rule = fc.constantFrom(
  ...[
    'FREQ=DAILY',
    'FREQ=WEEKLY;COUNT=3;BYDAY=MO',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=SECONDLY',
    'FREQ=HOURLY;COUNT=1000000000',
  ],
  ...[
    'FREQ=DAILY;UNTIL=20260108',
    'FREQ=DAILY;UNTIL=x',
    'FREQ=NEVER',
    '',
    'FREQ=DAILY;BYSETPOS=1',
    'RSCALE=CHINESE;FREQ=DAILY',
  ],
);
const line = fc.oneof(
  fc
    .tuple(fc.constantFrom('DTSTART', 'DTEND', 'EXDATE', 'RDATE', 'CREATED', 'RECURRENCE-ID'), zone, time)
    .map(([name, parameters, value]) => `${name}${parameters}:${value}`),
  rule.map((value) => `RRULE:${value}`),
  rule.map((value) => `EXRULE:${value}`),
  fc.constantFrom(
    'DURATION:P1D',
    'DURATION:P99999999999W',
    'DURATION:-PT1H',
    'STATUS:CANCELLED',
    'CLASS:X',
    'TRANSP:',
    'COLOR:#fff',
  ),
  fc.constantFrom(
    'ATTENDEE:',
    'ATTENDEE;CN="x:mailto:a@b.c',
    'ORGANIZER:alice@example.com',
    'ATTENDEE;PARTSTAT=X:urn:uuid:1',
    'X-MICROSOFT-CDO-ALLDAYEVENT:TRUE',
  ),
  fc.constantFrom(
    'BEGIN:VALARM',
    'END:VALARM',
    'TRIGGER:-P1D',
    'TRIGGER;RELATED=END:x',
    'TRIGGER;VALUE=DATE-TIME:20260101T000000Z',
    'ACTION:DISPLAY',
  ),
  fc.constantFrom('END:VEVENT', 'BEGIN:VEVENT', 'UID:TEST', 'UID:OTHER'),
);

describe('hostile objects', () => {
  it('N50 N49 reading and writing either works or fails by name, and ends', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 14 }), (lines) => {
        const bytes = objectOf(...lines);
        const started = performance.now();
        for (const date of ['20260105', '20260105T080000Z', '20260105T090000']) {
          allowed(() => reader.instance(bytes, READING, date));
          for (const scope of ['this', 'following', 'all'] as const) {
            allowed(() => writer.remove(bytes, date, scope, WRITING));
            allowed(() => writer.update(bytes, date, scope, { start: { kind: 'date', date: '2026-01-06' } }, WRITING));
          }
          allowed(() => writer.respond(bytes, date, 'accepted', WRITING));
        }
        allowed(() =>
          writer.update(
            bytes,
            null,
            'all',
            { title: 'x', recurrence: ['FREQ=DAILY;COUNT=2'], isAllDay: true },
            WRITING,
          ),
        );
        if (IcsDocument.parse(bytes).hidesEvents) {
          expect(() => reader.master(bytes, READING)).toThrow(IcsSyntaxError);
          return;
        }
        // Reading never throws anything but "range too large", and says at least what is there.
        allUnexpanded(bytes, READING, WINDOW);
        reader.master(bytes, READING);
        reader.cancelledInstances(bytes, READING, WINDOW);
        reader.busy(bytes, { window: WINDOW, floatingTimeZone: 'Europe/Berlin', ownAddresses: [] });
        allowed(() => allExpanded(bytes, READING, WINDOW));
        expect(performance.now() - started).toBeLessThan(5000);
      }),
      { numRuns: 300 },
    );
  });

  it('N50 a broken byte anywhere in a real object never does worse', () => {
    const objects = [...CORPUS.values()];
    fc.assert(
      fc.property(fc.constantFrom(...objects), fc.nat(), fc.nat(255), (object, position, byte) => {
        const bytes = Buffer.from(object);
        bytes[position % bytes.length] = byte;
        allowed(() => allUnexpanded(bytes, READING, WINDOW));
        allowed(() => allExpanded(bytes, READING, WINDOW));
        allowed(() => writer.update(bytes, null, 'all', { title: 'x', isAllDay: true }, WRITING));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('N48 an object of a megabyte', () => {
  it('instances of one series share what they have in common', () => {
    const text = object(
      'RRULE:FREQ=DAILY;COUNT=300',
      `DESCRIPTION:${'\\n'.repeat(10_000)}`,
      'ATTENDEE:mailto:a@example.com',
    );
    const events = allExpanded(text, READING, YEAR);
    expect(events).toHaveLength(300);
    expect(new Set(events.map(({ attendees }) => attendees)).size).toBe(1);
  });

  it.each([
    ['folds', `DESCRIPTION:${'\n '.repeat(60_000)}`],
    ['parameters', `ATTENDEE${';A=1'.repeat(40_000)}:mailto:a@example.com`],
    ['what stands before a value', `ATTENDEE;CN="${'a'.repeat(300_000)}":mailto:a@example.com`],
    ['dates', `EXDATE:${times(25_000).join(',')}`],
    ['alarms', 'BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT1H\nEND:VALARM\n'.repeat(101).trim()],
  ])('is refused for too many %s, by name', (_, line) => {
    expect(() => reader.uid(object(line))).toThrow(IcsSyntaxError);
  });
});
