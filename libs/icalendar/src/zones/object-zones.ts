import { parseIcsTime } from '../ics-time.js';
import type { IcsComponent, Zone, ZoneSource } from '../model.js';
import { unescapeText } from '../text.js';
import { Work } from '../work.js';
import { embeddedZone } from './embedded-zone.js';
import { ianaZoneArithmetic, unknownZone } from './zone-arithmetic.js';
import { tzDatabaseZone, windowsZone } from './zone-names.js';

/** No real TZID is longer; longer ones stay unresolved. */
const MAX_TZID_LENGTH = 255;
/** Further TZIDs stay unresolved, because each costs a search. Real objects have a handful. */
const MAX_TZIDS = 256;
/** Reference year when no event gives one. */
const ANY_YEAR = 2025;

/**
 * Resolves the TZIDs of one VCALENDAR. First match wins: IANA id or alias in any case; the tail of a prefixed name
 * (`/freeassociation.sourceforge.net/Europe/Berlin`); X-LIC-LOCATION of the VTIMEZONE; Windows name or Outlook caption;
 * the offsets of the VTIMEZONE. Names take precedence because embedded rules are often outdated.
 */
export function objectZones(calendar: IcsComponent): ZoneSource {
  return new ObjectZones(calendar);
}

class ObjectZones implements ZoneSource {
  private readonly zones = new Map<string, Zone>();
  private vtimezones: Map<string, IcsComponent> | undefined;
  private readonly work = Work.ofZones();

  constructor(private readonly calendar: IcsComponent) {}

  zone(tzid: string): Zone {
    const known = this.zones.get(tzid);
    if (known) return known;
    const isResolvable = tzid.length <= MAX_TZID_LENGTH && this.zones.size < MAX_TZIDS;
    const zone = (isResolvable && this.resolve(tzid)) || unknownZone(tzid);
    this.zones.set(tzid, zone);
    return zone;
  }

  private resolve(tzid: string): Zone | null {
    const name = tzid.trim().replace(/^["']+|["']+$/g, '');
    const named = tzDatabaseZone(name) ?? prefixedZone(name);
    if (named) return ianaZoneArithmetic(named);
    const vtimezone = this.definitions().get(tzid) ?? this.definitions().get(name);
    const location = vtimezone?.property('X-LIC-LOCATION')?.value.trim() ?? '';
    const found = tzDatabaseZone(location) ?? prefixedZone(location) ?? windowsZone(name);
    if (found) return ianaZoneArithmetic(found);
    return vtimezone ? embeddedZone(tzid, vtimezone, this.referenceYear(), this.work) : null;
  }

  /** Keys are raw and unescaped: the property is TEXT (`\,`), the parameter that refers to it is not. */
  private definitions(): Map<string, IcsComponent> {
    if (this.vtimezones) return this.vtimezones;
    const definitions = new Map<string, IcsComponent>();
    for (const vtimezone of this.calendar.componentsNamed('VTIMEZONE')) {
      const tzid = vtimezone.property('TZID')?.value;
      if (tzid === undefined) continue;
      for (const key of [tzid, unescapeText(tzid), tzid.trim()]) {
        if (!definitions.has(key)) definitions.set(key, vtimezone);
      }
    }
    return (this.vtimezones = definitions);
  }

  private referenceYear(): number {
    for (const component of this.calendar.components) {
      const dtstart = component.name === 'VTIMEZONE' ? undefined : component.property('DTSTART');
      const time = dtstart && parseIcsTime(dtstart);
      if (time) return Number((time.kind === 'date' ? time.date : time.local).slice(0, 4));
    }
    return ANY_YEAR;
  }
}

/** RFC 5545 §3.8.3.1: vendors prefix registry names; the last two or three segments are the name. */
function prefixedZone(name: string): string | null {
  const segments = name.split('/');
  for (const count of [3, 2]) {
    const zone = segments.length > count ? tzDatabaseZone(segments.slice(-count).join('/')) : null;
    if (zone) return zone;
  }
  // `/citadel.org/20210210_1/Japan`, `tzone://Microsoft/Utc`: one word counts only behind an obvious prefix.
  const isPrefixed = name.startsWith('/') || name.includes('://');
  return isPrefixed ? tzDatabaseZone(segments.at(-1) ?? '') : null;
}
