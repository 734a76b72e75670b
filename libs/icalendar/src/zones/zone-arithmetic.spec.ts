import fc from 'fast-check';
import { ianaZoneArithmetic } from './zone-arithmetic.js';

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Africa/Casablanca',
  'Europe/Dublin',
  'Pacific/Apia',
  'America/Sao_Paulo',
  'Asia/Gaza',
  'Antarctica/Troll',
  'America/St_Johns',
  'Etc/GMT+12',
  'UTC',
];

const iso = (ms: number | null) => new Date(ms!).toISOString().slice(0, 19);
const wall = (text: string) => Date.parse(`${text}Z`);

describe('ianaZoneArithmetic', () => {
  it.each([
    // [zone, wall-clock time, instant]: gap, overlap, plain
    ['America/New_York', '2026-03-08T02:30:00', '2026-03-08T07:30:00'],
    ['America/New_York', '2026-11-01T01:30:00', '2026-11-01T05:30:00'],
    ['America/New_York', '2026-11-01T02:00:00', '2026-11-01T07:00:00'],
    ['Europe/Berlin', '2026-03-29T02:00:00', '2026-03-29T01:00:00'],
    ['Europe/Berlin', '2026-10-25T02:59:59', '2026-10-25T00:59:59'],
    ['Australia/Lord_Howe', '2026-10-04T02:15:00', '2026-10-03T15:45:00'],
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-04T14:45:00'],
    ['Pacific/Apia', '2011-12-30T12:00:00', '2011-12-30T22:00:00'],
  ])('%s: %s is %sZ', (timeZone, local, instant) => {
    expect(iso(ianaZoneArithmetic(timeZone).toInstant(wall(local)))).toBe(instant);
  });

  it('agrees with Temporal on any instant and any wall-clock time', () => {
    const zone = fc.constantFrom(...ZONES);
    const near = fc.integer({ min: Date.UTC(1840, 0, 1), max: Date.UTC(2120, 0, 1) });
    const far = fc.integer({ min: Date.UTC(2120, 0, 1), max: Date.UTC(9999, 0, 1) });
    fc.assert(
      fc.property(zone, fc.oneof(near, near, far), (timeZone, ms) => {
        const arithmetic = ianaZoneArithmetic(timeZone);
        const zoned = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone);
        expect(arithmetic.toWall(ms)).toBe(zoned.toPlainDateTime().toZonedDateTime('UTC').epochMilliseconds);
        const plain = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO('UTC').toPlainDateTime();
        expect(arithmetic.toInstant(ms)).toBe(plain.toZonedDateTime(timeZone).epochMilliseconds);
      }),
      { numRuns: 3000 },
    );
  });

  it('agrees with Temporal in every hour around every clock change', () => {
    for (const timeZone of ZONES) {
      const arithmetic = ianaZoneArithmetic(timeZone);
      let cursor: Temporal.ZonedDateTime | null =
        Temporal.Instant.from('1910-01-01T00:00Z').toZonedDateTimeISO(timeZone);
      while ((cursor = cursor.getTimeZoneTransition('next')) !== null && cursor.year < 2060) {
        const local = cursor.epochMilliseconds + cursor.offsetNanoseconds / 1e6;
        for (let step = -10; step <= 10; step++) {
          const ms = local + step * 900_000;
          const plain = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO('UTC').toPlainDateTime();
          const expected = plain.toZonedDateTime(timeZone).epochMilliseconds;
          if (arithmetic.toInstant(ms) !== expected) throw new Error(`${timeZone} ${plain.toString()}`);
        }
      }
    }
  });

  it('shares one table per zone, whatever the spelling', () => {
    expect(ianaZoneArithmetic('europe/BERLIN')).toBe(ianaZoneArithmetic('Europe/Berlin'));
    expect(ianaZoneArithmetic('europe/BERLIN').timeZone).toBe('Europe/Berlin');
    expect(ianaZoneArithmetic('US/Eastern').isKnown).toBe(true);
  });

  it.each([
    '',
    'Nowhere/City',
    '+01:00',
    '../../etc/passwd',
    '2020-01-01T00:00[Europe/Berlin]',
    'A'.repeat(10_000),
    'Europe/Berlin\0',
  ])('N17 refuses %j', (name) => {
    expect(() => ianaZoneArithmetic(name)).toThrow(RangeError);
  });
});
