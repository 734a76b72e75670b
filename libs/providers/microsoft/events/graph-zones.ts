import { ianaZone, windowsZoneName } from '#icalendar';

/** Name of a zone as Outlook knows every zone; null for the few that it lacks. @param timeZone IANA id */
export function graphZone(timeZone: string): string | null {
  return windowsZoneName(timeZone);
}

/**
 * IANA id of a zone that Graph names, by a Windows or an IANA name; null for one without a name of its own, such as
 * `tzone://Microsoft/Custom`.
 * @param remembered the id that was asked for when the zone was written: several share a Windows name
 */
export function zoneOfGraph(name: unknown, remembered: string | undefined): string | null {
  if (typeof name !== 'string') return null;
  const zone = ianaZone(name);
  if (zone === null || remembered === undefined) return zone;
  const own = ianaZone(remembered);
  return own !== null && windowsZoneName(own) === windowsZoneName(zone) ? own : zone;
}

/**
 * The same for times of one event, which are written in UTC where Outlook cannot say them in the zone that was asked for:
 * they show in that zone all the same.
 */
export function zoneOfTimes(name: unknown, remembered: string | undefined): string | null {
  const zone = zoneOfGraph(name, remembered);
  return zone === 'UTC' ? (ianaZone(remembered ?? '') ?? zone) : zone;
}
