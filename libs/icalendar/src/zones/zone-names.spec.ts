import { createRequire } from 'node:module';
import { ianaZone, windowsZoneName } from '../index.js';
import { tzDatabaseZone, tzDatabaseZones, WINDOWS_CAPTIONS, WINDOWS_ZONES } from './zone-names.js';

describe('ianaZone', () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['AMERICA/ARGENTINA/BUENOS_AIRES', 'America/Argentina/Buenos_Aires'],
    ['us/eastern', 'US/Eastern'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Europe/Kiev', 'Europe/Kiev'],
    ['Europe/Oslo', 'Europe/Oslo'],
    ['UTC', 'UTC'],
    ['Etc/UTC', 'Etc/UTC'],
    ['GMT', 'GMT'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
    ['W. Europe Standard Time', 'Europe/Berlin'],
    ['w. europe daylight time', 'Europe/Berlin'],
    ['India Standard Time', 'Asia/Kolkata'],
    ['FLE Standard Time', 'Europe/Kyiv'],
    ['UTC-11', 'Etc/GMT+11'],
    ['UTC+12', 'Etc/GMT-12'],
    ['Mexico Standard Time', 'America/Mexico_City'],
    ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Berlin'],
    ['(GMT+01.00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Berlin'],
    ['(UTC-05:00) Eastern Time (US & Canada)', 'America/New_York'],
    ['Pacific Time (US & Canada)', 'America/Los_Angeles'],
    ['(UTC) Co-ordinated Universal Time', 'UTC'],
    ['(UTC-02:00) Coordinated Universal Time-02', 'Etc/GMT+2'],
  ])('knows %s', (name, zone) => {
    expect(ianaZone(name)).toBe(zone);
  });

  it.each([
    '',
    ' ',
    'Nowhere/City',
    '../../etc/passwd',
    'Europe/../Europe/Berlin',
    '/etc/localtime',
    'Europe/Berlin\0',
    'Europe/Berlin\n',
    'Europe/',
    '+02:00',
    '-00:00',
    'Z',
    '2026-01-01T00:00:00[Europe/Berlin]',
    'PST',
    'IST',
    'CST',
    'SystemV/PST8',
    'Factory',
    'constructor',
    '__proto__',
    'toString',
    '(UTC+01:00)',
    'Customized Time Zone',
  ])('N17 does not know %j', (name) => {
    expect(ianaZone(name)).toBeNull();
  });

  it('N17 refuses long names at once', () => {
    const started = performance.now();
    for (let round = 0; round < 100; round += 1) {
      for (const text of ['A', '/', '(', ' ', 'a/', '(utc+']) {
        expect(ianaZone(text.repeat(10_240 / text.length))).toBeNull();
        expect(ianaZone(text.repeat(119 / text.length))).toBeNull();
      }
    }
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('gives ids that lead to themselves', () => {
    for (const zone of tzDatabaseZones()) expect(tzDatabaseZone(zone)).toBe(zone);
    expect(tzDatabaseZones().length).toBeGreaterThan(400);
  });

  it('knows every Windows zone of CLDR, and each caption names one of them', () => {
    const cldr = createRequire(import.meta.url)('cldr-core/supplemental/windowsZones.json');
    const zones = cldr.supplemental.windowsZones.mapTimezones
      .map(({ mapZone }: { mapZone: Record<string, string> }) => mapZone)
      .filter(({ _territory }: Record<string, string>) => _territory === '001');
    expect(zones.length).toBe(WINDOWS_ZONES.size);
    for (const { _other, _type } of zones) {
      expect(WINDOWS_ZONES.get(_other)?.[0]).toBe(_type);
      const zone = ianaZone(_other) ?? '';
      // In the id of today, which is the same zone as the id of CLDR.
      const canonical = (id: string) => new Intl.DateTimeFormat('en', { timeZone: id }).resolvedOptions().timeZone;
      expect(canonical(zone)).toBe(canonical(_type));
    }
    const captions = [...WINDOWS_CAPTIONS.values()].flat();
    expect(new Set(captions).size).toBe(captions.length);
    for (const [windows, names] of WINDOWS_CAPTIONS) {
      expect(WINDOWS_ZONES.has(windows)).toBe(true);
      for (const name of names) expect(ianaZone(`(UTC+00:00) ${name}`)).toBe(ianaZone(windows));
    }
  });
});

describe('windowsZoneName', () => {
  it.each([
    ['Europe/Berlin', 'W. Europe Standard Time'],
    ['Europe/Rome', 'W. Europe Standard Time'],
    ['Europe/Kyiv', 'FLE Standard Time'],
    ['Europe/Kiev', 'FLE Standard Time'],
    ['Asia/Kolkata', 'India Standard Time'],
    ['us/eastern', 'Eastern Standard Time'],
    ['UTC', 'UTC'],
    ['Etc/UTC', 'UTC'],
    ['America/Ciudad_Juarez', 'Mountain Standard Time'],
    ['Asia/Almaty', 'West Asia Standard Time'],
    ['Antarctica/Troll', null],
    ['Mars/Olympus', null],
    ['W. Europe Standard Time', null],
    ['+02:00', null],
  ])('%s is %s', (zone, name) => {
    expect(windowsZoneName(zone)).toBe(name);
  });

  it('leads back from every name to the zone that CLDR gives for the world', () => {
    for (const windows of WINDOWS_ZONES.keys()) expect(windowsZoneName(ianaZone(windows) ?? '')).toBe(windows);
  });

  it('knows every zone of the runtime but those that Windows lacks', () => {
    expect(tzDatabaseZones().filter((zone) => windowsZoneName(zone) === null)).toEqual(['Antarctica/Troll']);
  });
});
