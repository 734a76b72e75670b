import windowsZones from 'cldr-core/supplemental/windowsZones.json' with { type: 'json' };

/** Lower-case Windows names → the zone of CLDR's territory 001. */
const WINDOWS = new Map(
  windowsZones.supplemental.windowsZones.mapTimezones
    .filter(({ mapZone }) => mapZone._territory === '001')
    .map(({ mapZone }) => [mapZone._other.toLowerCase(), mapZone._type]),
);

/** Returns a tz database name in its own spelling; null for offsets, ISO strings and other names. */
export function tzDatabaseName(name: string): string | null {
  if (!/^[a-z]/i.test(name)) return null;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch (error) {
    // Each realm has its own RangeError.
    if ((error as Error).name === 'RangeError') return null;
    throw error;
  }
}

/** Returns the tz database id of a Windows or tz database name, in any case; null for others. */
export function zoneNamed(name: string): string | null {
  return WINDOWS.get(name.toLowerCase()) ?? tzDatabaseName(name);
}

/** Returns the wall-clock time as `Date.UTC` milliseconds of its fields. */
export function wallAt(zone: string, instantMs: number): number {
  if (zone === 'UTC') return instantMs;
  const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(zone);
  return instantMs + offsetNanoseconds / 1_000_000;
}

/** Returns the first instant of a wall-clock time; in a gap with the offset before it (RFC 5545 §3.3.5). */
export function instantOn(zone: string, wallMs: number): number {
  if (zone === 'UTC') return wallMs;
  const utc = Temporal.Instant.fromEpochMilliseconds(wallMs).toZonedDateTimeISO('UTC');
  return utc.toPlainDateTime().toZonedDateTime(zone).epochMilliseconds;
}

/** `Date.UTC` milliseconds → `2026-11-30T09:00:00`. */
export function localOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 19);
}

/** Returns `Date.UTC` milliseconds of a day or a local time; null for one that does not exist. */
export function wallOfText(local: string): number | null {
  const text = local.includes('T') ? local : `${local}T00:00:00`;
  const wallMs = Date.parse(`${text}Z`);
  return Number.isNaN(wallMs) || localOf(wallMs) !== text ? null : wallMs;
}
