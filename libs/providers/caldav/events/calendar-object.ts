import { DomainError } from '#domain/system';
import { IcsTimes } from '#providers/kit/series';
import { IcsDocument, IcsSyntaxError, objectZones, type EditableComponent, type IcsComponent } from '#icalendar';
import type { WriteContext } from './contract.js';
import type { ShownFields } from './event-mapper.js';
import { guestAgents, type GuestAgent } from './schedule-agent.js';

/** One calendar object resource (RFC 4791 §4.1): a single event, or a series with its overrides. */
export interface CalendarObject {
  document: IcsDocument;
  calendar: EditableComponent;
  /** Empty for an event without UID. */
  uid: string;
  /** The event or series itself; null when the object holds only overrides (an invitation to one instance). */
  master: EditableComponent | null;
  overrides: EditableComponent[];
  /** True when the server keeps events of several UIDs in one resource. The first UID is the event. */
  hasForeignEvents: boolean;
  times: IcsTimes;
  /** TZIDs in the object before the change. Servers reject an attendee's write that defines them. */
  namedZones: ReadonlySet<string>;
  /** Guests before the change, and who notifies them. */
  guestsBefore: ReadonlyMap<string, GuestAgent>;
  /** Cache of read components: thousands of instances of a series share one component. */
  shown: Map<IcsComponent, ShownFields>;
}

const TIMED_PROPERTIES = ['DTSTART', 'DTEND', 'RECURRENCE-ID', 'EXDATE', 'RDATE'];

/** @throws IcsSyntaxError also when a broken structure hides events, which must not look as if there were none */
export function parseObject(text: Uint8Array | string): IcsDocument {
  const document = IcsDocument.parse(text);
  if (document.hidesEvents) throw new IcsSyntaxError('Not all its events are components of a calendar');
  return document;
}

/** Returns null without a VEVENT. @throws IcsSyntaxError */
export function openObject(text: Uint8Array | string, calendarTimeZone: string): CalendarObject | null {
  const document = parseObject(text);
  const calendar = document.calendars.find((candidate) => candidate.componentsNamed('VEVENT').length > 0);
  const [first, ...others] = calendar?.componentsNamed('VEVENT') ?? [];
  if (calendar === undefined || first === undefined) return null;
  const uid = uidOf(first);
  const events = [first, ...others.filter((event) => uidOf(event) === uid)];
  return {
    document,
    calendar,
    uid,
    master: events.find((event) => event.property('RECURRENCE-ID') === undefined) ?? null,
    overrides: events.filter((event) => event.property('RECURRENCE-ID') !== undefined),
    hasForeignEvents: events.length < others.length + 1,
    times: new IcsTimes(objectZones(calendar), calendarTimeZone),
    namedZones: new Set(),
    guestsBefore: new Map(),
    shown: new Map(),
  };
}

/** @throws DomainError NotFound without an event, Conflict when the object must not be changed */
export function openForWriting(
  text: Uint8Array,
  { calendarTimeZone, ownAddresses }: Pick<WriteContext, 'calendarTimeZone' | 'ownAddresses'>,
): CalendarObject {
  const object = readable(text, calendarTimeZone);
  if (object === null) throw new DomainError('NotFound', 'The event does not exist');
  if (object.hasForeignEvents) {
    throw new DomainError('Conflict', 'The server keeps several events in one object; it cannot be changed safely');
  }
  const events = object.calendar.componentsNamed('VEVENT');
  return {
    ...object,
    namedZones: new Set(events.flatMap(zonesNamed)),
    guestsBefore: guestAgents(events, ownAddresses),
  };
}

export function masterOf({ master }: CalendarObject): EditableComponent {
  if (master !== null) return master;
  const message = 'Only single instances of this series are known here; the series cannot be changed';
  throw new DomainError('Conflict', message);
}

export function eventsIn({ master, overrides }: CalendarObject): EditableComponent[] {
  return master === null ? overrides : [master, ...overrides];
}

export function zonesNamed(event: IcsComponent): string[] {
  return TIMED_PROPERTIES.flatMap((name) => event.propertiesNamed(name)).flatMap((property) =>
    property.parameterValues('TZID'),
  );
}

function readable(text: Uint8Array, calendarTimeZone: string): CalendarObject | null {
  try {
    return openObject(text, calendarTimeZone);
  } catch (error) {
    if (!(error instanceof IcsSyntaxError)) throw error;
    throw new DomainError('Conflict', 'The server holds this event in a form that cannot be read', { cause: error });
  }
}

export function unlessBroken<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof IcsSyntaxError) return null;
    throw error;
  }
}

function uidOf(event: EditableComponent): string {
  return event.property('UID')?.value.trim() ?? '';
}

export function isSeries(master: EditableComponent | null): boolean {
  return master !== null && (master.property('RRULE') !== undefined || master.property('RDATE') !== undefined);
}
