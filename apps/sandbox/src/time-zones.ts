import windowsZones from 'cldr-core/supplemental/windowsZones.json' with { type: 'json' };

/** Names of Windows, lower case, to the zone that CLDR gives them in all the world. */
const WINDOWS = new Map(
  windowsZones.supplemental.windowsZones.mapTimezones
    .filter(({ mapZone }) => mapZone._territory === '001')
    .map(({ mapZone }) => [mapZone._other.toLowerCase(), mapZone._type]),
);

/** A name of the tz database in its own spelling; null for offsets, ISO strings and names of other systems. */
export function tzDatabaseName(name: string): string | null {
  if (!/^[a-z]/i.test(name)) return null;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch (error) {
    // By name: realms have a RangeError each.
    if ((error as Error).name === 'RangeError') return null;
    throw error;
  }
}

/** Id of the tz database for a name of Windows or of the tz database, in any case; null for neither. */
export function zoneNamed(name: string): string | null {
  return WINDOWS.get(name.toLowerCase()) ?? tzDatabaseName(name);
}

/** What the clocks of a zone show: `Date.UTC` milliseconds of their fields. */
export function wallAt(zone: string, instantMs: number): number {
  if (zone === 'UTC') return instantMs;
  const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(instantMs).toZonedDateTimeISO(zone);
  return instantMs + offsetNanoseconds / 1_000_000;
}

/** The first instant at which clocks show it; in a gap with the offset before it (RFC 5545 §3.3.5). */
export function instantOn(zone: string, wallMs: number): number {
  if (zone === 'UTC') return wallMs;
  const utc = Temporal.Instant.fromEpochMilliseconds(wallMs).toZonedDateTimeISO('UTC');
  return utc.toPlainDateTime().toZonedDateTime(zone).epochMilliseconds;
}

/** `2026-11-30T09:00:00`, of `Date.UTC` milliseconds. */
export function localOf(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(0, 19);
}

/** `Date.UTC` milliseconds of a day or a local time; null for one that does not exist. */
export function wallOfText(local: string): number | null {
  const text = local.includes('T') ? local : `${local}T00:00:00`;
  const wallMs = Date.parse(`${text}Z`);
  return Number.isNaN(wallMs) || localOf(wallMs) !== text ? null : wallMs;
}
