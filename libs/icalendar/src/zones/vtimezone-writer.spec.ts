import ICAL from 'ical.js';
import { IcsDocument, objectZones, vtimezoneFor } from '../index.js';
import { ianaZoneArithmetic } from './zone-arithmetic.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Africa/Casablanca',
  'Europe/Dublin',
  'Pacific/Apia',
  'Africa/Cairo',
  'America/Santiago',
  'America/Nuuk',
  'Asia/Gaza',
  'Asia/Jerusalem',
  'Pacific/Chatham',
  'Asia/Kathmandu',
  'America/Sao_Paulo',
  'Antarctica/Troll',
  'UTC',
];

/** The zone as somebody reads it who has only our VTIMEZONE. */
const asEmbedded = (timeZone: string, fromMs: number, toMs: number) => {
  const definition = vtimezoneFor(timeZone, fromMs, toMs).replace(`TZID:${timeZone}\r\n`, 'TZID:ours\r\n');
  const { calendars } = IcsDocument.parse(`BEGIN:VCALENDAR\r\n${definition}END:VCALENDAR\r\n`);
  return objectZones(calendars[0]!).zone('ours');
};

/** Instants that tell zones apart: all around each change, and each tenth day. */
const instants = (timeZone: string, firstYear: number, lastYear: number): number[] => {
  const found: number[] = [];
  const end = Date.UTC(lastYear + 1, 0);
  for (let at = Date.UTC(firstYear, 0); at < end; at += 10 * DAY) found.push(at);
  let time = Temporal.Instant.fromEpochMilliseconds(Date.UTC(firstYear, 0)).toZonedDateTimeISO(timeZone);
  for (;;) {
    const next = time.getTimeZoneTransition('next');
    if (!next || next.epochMilliseconds >= end) return found;
    for (const offset of [-25 * HOUR, -HOUR, -1000, 0, HOUR, 25 * HOUR]) found.push(next.epochMilliseconds + offset);
    time = next;
  }
};

describe('vtimezoneFor', () => {
  it.each(ZONES)('defines %s as the tz database does, from the year before the event on', (timeZone) => {
    const expected = ianaZoneArithmetic(timeZone);
    for (const year of [1975, 2006, 2011, 2026]) {
      const zone = asEmbedded(timeZone, Date.UTC(year, 5, 1), Date.UTC(year, 5, 2));
      const wrong = instants(timeZone, year - 1, year + 40).filter((at) => zone.toWall(at) !== expected.toWall(at));
      expect(wrong.map((at) => new Date(at).toISOString())).toEqual([]);
      const walls = instants(timeZone, year - 1, year + 10).map((at) => expected.toWall(at)!);
      expect(walls.filter((wall) => zone.toInstant(wall) !== expected.toInstant(wall))).toEqual([]);
    }
  });

  it.each(ZONES)('defines %s so that ical.js agrees', (timeZone) => {
    const component = new ICAL.Component(
      ICAL.parse(vtimezoneFor(timeZone, Date.UTC(2024, 2), Date.UTC(2024, 3))) as [string, object[], object[]],
    );
    const zone = new ICAL.Timezone({ component, tzid: timeZone });
    const expected = ianaZoneArithmetic(timeZone);
    for (let at = Date.UTC(2024, 0, 1, 12); at < Date.UTC(2032, 0); at += 3 * DAY) {
      const wall = expected.toWall(at)!;
      const time = ICAL.Time.fromDateTimeString(new Date(wall).toISOString().slice(0, 19));
      expect([new Date(at).toISOString(), zone.utcOffset(time)]).toEqual([
        new Date(at).toISOString(),
        (wall - at) / 1000,
      ]);
    }
  });

  it('writes the current rule, so that a series without end stays right', () => {
    expect(vtimezoneFor('Europe/Berlin', Date.UTC(2026, 5), Date.UTC(2026, 6))).toBe(
      [
        'BEGIN:VTIMEZONE',
        'TZID:Europe/Berlin',
        'BEGIN:STANDARD',
        'DTSTART:20250101T010000',
        'TZOFFSETFROM:+0100',
        'TZOFFSETTO:+0100',
        'END:STANDARD',
        'BEGIN:DAYLIGHT',
        'DTSTART:20250330T020000',
        'TZOFFSETFROM:+0100',
        'TZOFFSETTO:+0200',
        'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
        'END:DAYLIGHT',
        'BEGIN:STANDARD',
        'DTSTART:20251026T030000',
        'TZOFFSETFROM:+0200',
        'TZOFFSETTO:+0100',
        'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
        'END:STANDARD',
        'END:VTIMEZONE',
        '',
      ].join('\r\n'),
    );
    const far = asEmbedded('America/New_York', Date.UTC(2026, 0), Date.UTC(2026, 0));
    expect(far.toWall(Date.UTC(2405, 6, 4))).toBe(Date.UTC(2405, 6, 3, 20));
  });

  it('keeps the name it was asked for, and refuses others', () => {
    expect(vtimezoneFor('us/eastern', 0, 0)).toContain('TZID:us/eastern\r\n');
    expect(vtimezoneFor('Asia/Kolkata', 0, 0)).toContain('TZOFFSETTO:+0530');
    for (const name of ['', 'Nowhere/City', '+02:00', 'UTC\r\nX:1', 'W. Europe Standard Time', '../../etc/passwd']) {
      expect(() => vtimezoneFor(name, 0, 0)).toThrow(RangeError);
    }
  });

  it('N17 answers quickly in the first and the last year there is', () => {
    for (const timeZone of ZONES) {
      const started = performance.now();
      vtimezoneFor(timeZone, Date.UTC(9998, 0), Date.UTC(9999, 11));
      vtimezoneFor(timeZone, new Date(0).setUTCFullYear(1, 0, 1), Date.UTC(9999, 11));
      expect(performance.now() - started).toBeLessThan(5_000);
    }
  });
});
