import {
  formatTimeValue,
  ianaZone,
  IcsSyntaxError,
  parsePeriod,
  parseTimeValue,
  wallMsOf,
  withParameter,
  withWallMs,
  type EditableComponent,
  type IcsComponent,
  type IcsPeriod,
  type IcsProperty,
  type IcsTime,
  type Zone,
  type ZoneSource,
} from '#icalendar';
import { DAY_MS, lineLike, parseRecurrence, recurrenceLines, type IcsTimes } from '#providers/kit/series';

/** Maximum number of dates that are converted to another zone; no real series has more. */
const MAX_CONVERTED = 1_000;

export function shownLines(event: IcsComponent, zones: ZoneSource): string[] {
  let converted = 0;
  return recurrenceLines(event).map((property) => {
    const shown = shownLine(property, zones);
    if (shown === property.line) return shown;
    converted += 1 + Math.floor(property.value.length / 16);
    if (converted > MAX_CONVERTED) {
      throw new IcsSyntaxError(`The series has more than ${MAX_CONVERTED} dates in a time zone of its own`);
    }
    return shown;
  });
}

/**
 * A TZID has meaning only in its own object, so callers see the IANA zone or, without one, UTC instants. Other lines
 * stay byte for byte, including those of an undefined zone.
 */
function shownLine(property: IcsProperty, zones: ZoneSource): string {
  const tzid = property.name === 'EXDATE' || property.name === 'RDATE' ? property.parameter('TZID') : undefined;
  if (tzid === undefined) return property.line;
  const zone = zones.zone(tzid);
  if (!zone.isKnown) return property.line;
  const name = ianaZone(zone.timeZone) === zone.timeZone ? zone.timeZone : null;
  if (name === tzid) return property.line;
  const values = property.value.split(',');
  const isOnZone = values.some(
    (value) => (parsePeriod(value, tzid)?.start ?? parseTimeValue(value, tzid))?.kind === 'zoned',
  );
  const line = withParameter(property.line, 'TZID', isOnZone ? name : null);
  if (name !== null) return line;
  const inUtc = values.map((value) => valueInUtc(value, tzid, zone)).join(',');
  return line.slice(0, line.length - property.value.length) + inUtc;
}

/** Values without a zone and unreadable values stay unchanged. */
function valueInUtc(value: string, tzid: string, zone: Zone): string {
  const period = parsePeriod(value, tzid);
  if (period !== null) return periodInUtc(period, value, zone);
  const time = parseTimeValue(value, tzid);
  return time?.kind === 'zoned' ? formatTimeValue(inUtc(time, zone)) : value;
}

/** Days follow the clock of the zone (RFC 5545 §3.3.6), so a duration with days becomes an end. */
function periodInUtc(period: IcsPeriod, value: string, zone: Zone): string {
  const start = formatTimeValue(inUtc(period.start, zone));
  if ('end' in period) return `${start}/${formatTimeValue(inUtc(period.end, zone))}`;
  const { days, seconds } = period.duration;
  if (days === 0 || period.start.kind !== 'zoned') return `${start}${value.slice(value.indexOf('/'))}`;
  const lastDay = inUtc(withWallMs(period.start, wallMsOf(period.start) + days * DAY_MS), zone);
  return `${start}/${formatTimeValue(withWallMs(lastDay, wallMsOf(lastDay) + seconds * 1000))}`;
}

function inUtc(time: IcsTime, zone: Zone): IcsTime {
  const instantMs = time.kind === 'zoned' ? zone.toInstant(wallMsOf(time)) : null;
  return instantMs === null ? time : withWallMs({ kind: 'utc', local: '' }, instantMs);
}

export interface RecurrencePlan {
  /** Existing lines that the caller sent, as stored or as shown. */
  kept: ReadonlySet<IcsProperty>;
  added: readonly IcsProperty[];
  /** True when the caller sent no EXDATE: a new rule must not restore deleted instances. */
  keepsExclusions: boolean;
}

/**
 * Parses recurrence lines of callers, with or without `RRULE:`.
 * @param current existing component; null for a new one
 * @returns null when the component already matches
 * @throws DomainError ValidationFailed
 */
export function planRecurrence(
  lines: readonly string[],
  current: IcsComponent | null,
  zones: ZoneSource,
): RecurrencePlan | null {
  const written = (current === null ? [] : recurrenceLines(current)).map((property) => ({
    property,
    texts: [property.line, shownLine(property, zones)],
  }));
  const isSame = ({ texts }: { texts: string[] }, index: number) => texts.includes(lines[index]?.trim() ?? '');
  if (written.length === lines.length && written.every(isSame)) return null;
  const properties = parseRecurrence(lines);
  const kept = new Set<IcsProperty>();
  const added = properties.filter((property) => {
    const same = written.find(({ property: own, texts }) => texts.includes(property.line) && !kept.has(own));
    if (same !== undefined) kept.add(same.property);
    return same === undefined;
  });
  return { kept, added, keepsExclusions: !properties.some(({ name }) => name === 'EXDATE') };
}

export function writeRecurrence(event: EditableComponent, plan: RecurrencePlan, start: IcsTime, times: IcsTimes): void {
  for (const property of recurrenceLines(event)) {
    const stays = plan.kept.has(property) || (plan.keepsExclusions && property.name === 'EXDATE');
    if (!stays) event.removeProperty(property);
  }
  for (const property of plan.added) {
    const { value, parameters } = lineLike(property, start, times, { takesPeriods: true });
    event.addProperty(property.name, value, parameters);
  }
}
