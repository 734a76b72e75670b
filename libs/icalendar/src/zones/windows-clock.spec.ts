import { offsetAt } from './clock-changes.js';
import { windowsClockName } from './windows-clock.js';
import { ianaZone, tzDatabaseZones, windowsZoneName } from './zone-names.js';

const NOW_MS = Date.UTC(2027, 0, 1);
const WEEK_MS = 7 * 86_400_000;

describe('windowsClockName', () => {
  it('names a clock with the times of the zone for good, for every zone that CLDR maps', () => {
    for (const zone of tzDatabaseZones().filter((one) => windowsZoneName(one) !== null)) {
      const clock = ianaZone(windowsClockName(zone, NOW_MS)!)!;
      const differs = Array.from({ length: 520 }, (_, week) => NOW_MS + week * WEEK_MS).filter(
        (instantMs) => offsetAt(zone, instantMs) !== offsetAt(clock, instantMs),
      );
      expect([zone, clock, differs]).toEqual([zone, clock, []]);
    }
  });

  it.each([
    ['Europe/Rome', 'W. Europe Standard Time'],
    ['America/Los_Angeles', 'Pacific Standard Time'],
    ['America/Scoresbysund', 'Greenland Standard Time'],
    ['UTC', 'UTC'],
    ['Antarctica/Troll', null],
    ['Nowhere/City', null],
  ])('of %s is %s', (zone, name) => {
    expect(windowsClockName(zone, NOW_MS)).toBe(name);
  });

  it('is none before the clocks agree', () => {
    const changed = Date.UTC(2024, 2, 1);
    expect(windowsClockName('Asia/Almaty', changed - WEEK_MS)).toBeNull();
    expect(windowsClockName('Asia/Almaty', changed + WEEK_MS)).toBe('West Asia Standard Time');
    expect(windowsClockName('Europe/Rome', Date.UTC(1970, 0, 1))).toBe('W. Europe Standard Time');
  });
});
