import { zonedAt } from './clock-changes.js';
import captions from './windows-captions.json' with { type: 'json' };
import zones from './windows-zones.json' with { type: 'json' };

/** Longer than any name or caption. */
const MAX_NAME_LENGTH = 120;
/** Excludes offsets and ISO strings, which Intl also accepts. */
const TZ_NAME = /^[A-Za-z][A-Za-z0-9_+-]{0,31}(?:\/[A-Za-z0-9_+-]{1,31}){0,3}$/;
const CAPTION_OFFSET = /^\((?:utc|gmt)[^)]{0,12}\)\s*/;
/** Bounds the memory that callers can fill with spellings of one name. */
const MAX_REMEMBERED = 4_000;

/**
 * Intl returns CLDR ids, which never change. These are the ones that the tz database has renamed (its file `backward`);
 * calendars and clients use the new names.
 */
const RENAMED: Readonly<Record<string, string>> = {
  'Etc/UTC': 'UTC',
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/** Windows name → its tz database zones, the one for the world first (generate-windows-zones.mjs). */
export const WINDOWS_ZONES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(zones).map(([windows, names]) => [windows, names.split(' ')]),
);

/**
 * Windows name → captions of Windows and Outlook without their offset, `(UTC+01:00) Amsterdam, Berlin, …`. Outlook
 * writes them as TZID. Captions changed over the years; all known ones are listed.
 */
export const WINDOWS_CAPTIONS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(captions));

/** Zones that Windows, and therefore CLDR, has dropped. */
const RETIRED_WINDOWS_ZONES: ReadonlyMap<string, readonly string[]> = new Map([
  ['Kamchatka Standard Time', ['Asia/Kamchatka']],
  ['Mexico Standard Time', ['America/Mexico_City']],
  ['Mexico Standard Time 2', ['America/Mazatlan']],
  ['Mid-Atlantic Standard Time', ['Etc/GMT+2']],
]);

const canonicalZone = remembering(findCanonicalZone);
const zoneOfWindows = remembering(findZoneOfWindows);
const nameInWindows = remembering(findNameInWindows);
let windowsIndex: Map<string, string> | undefined;
let windowsNames: Map<string, string> | undefined;

/**
 * Returns the IANA id of an IANA id or alias in any case (`us/eastern` → `US/Eastern`), a Windows name or an Outlook
 * caption (`India Standard Time` → `Asia/Kolkata`). Offsets are no names.
 * @returns null for an unknown name
 */
export function ianaZone(name: string): string | null {
  return tzDatabaseZone(name) ?? windowsZone(name);
}

export function tzDatabaseZone(name: string): string | null {
  return name.length > MAX_NAME_LENGTH || !TZ_NAME.test(name) ? null : canonicalZone(name);
}

/** The Windows part of `ianaZone`: names, their daylight forms, and captions with or without offset. */
export function windowsZone(name: string): string | null {
  return name.length > MAX_NAME_LENGTH ? null : zoneOfWindows(name);
}

/**
 * Returns the Windows name of an IANA id or alias, as CLDR maps it (`Europe/Rome` → `W. Europe Standard Time`). Zones
 * share names, so {@link ianaZone} may lead back to another.
 * @returns null for any other name, and for the few zones that Windows lacks (`Antarctica/Troll`)
 */
export function windowsZoneName(zone: string): string | null {
  const id = tzDatabaseZone(zone);
  return id === null ? null : nameInWindows(id);
}

/** Every zone of the runtime's tz data, by its canonical IANA id. */
export function tzDatabaseZones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').map((zone) => RENAMED[zone] ?? zone)];
}

function remembering(find: (name: string) => string | null): (name: string) => string | null {
  const remembered = new Map<string, string | null>();
  return (name) => {
    const known = remembered.get(name);
    if (known !== undefined) return known;
    const found = find(name);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(name, found);
    return found;
  };
}

/** Returns the tz database spelling. An alias stays one, so callers get back the zone that they wrote. */
function findCanonicalZone(name: string): string | null {
  try {
    // Temporal knows only the tz database. Intl also accepts ICU's PST, CST or IST, which are ambiguous.
    return zonedAt(name, 0).timeZoneId;
  } catch (error) {
    // Temporal throws for an unknown zone. Each realm (worker context) has its own RangeError, so compare by name.
    if ((error as Error).name === 'RangeError') return null;
    throw error;
  }
}

function findZoneOfWindows(name: string): string | null {
  const index = (windowsIndex ??= indexWindowsZones());
  const key = windowsKey(name);
  const zone = index.get(key) ?? index.get(key.replace(CAPTION_OFFSET, ''));
  return zone === undefined ? null : tzDatabaseZone(RENAMED[zone] ?? zone);
}

function findNameInWindows(id: string): string | null {
  const names = (windowsNames ??= indexWindowsNames());
  return names.get(id) ?? [...names].find(([named]) => isSameZone(named, id))?.[1] ?? null;
}

/** Windows keys → CLDR ids. */
function indexWindowsZones(): Map<string, string> {
  const index = new Map<string, string>();
  for (const [windows, [ofFixture = '']] of [...RETIRED_WINDOWS_ZONES, ...WINDOWS_ZONES]) {
    for (const name of [windows, ...(WINDOWS_CAPTIONS.get(windows) ?? [])]) index.set(windowsKey(name), ofFixture);
  }
  return index;
}

/** CLDR and current ids → Windows names. */
function indexWindowsNames(): Map<string, string> {
  return new Map(
    [...WINDOWS_ZONES].flatMap(([windows, zones]) =>
      zones.flatMap((zone): [string, string][] => [zone, RENAMED[zone] ?? zone].map((id) => [id, windows])),
    ),
  );
}

function isSameZone(one: string, other: string): boolean {
  return tzDatabaseZone(one) !== null && zonedAt(one, 0).equals(zonedAt(other, 0));
}

function windowsKey(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace('co-ordinated', 'coordinated')
    .replace(/ daylight time\b/, ' standard time');
}
