import { createHash, randomUUID } from 'node:crypto';
import type { AccountSession } from '#domain/providers';
import { invalid } from '#domain/system';
import {
  IcsDocument,
  IcsSyntaxError,
  ianaZone,
  parseIcsTime,
  parseRule,
  RecurrenceError,
  vtimezoneFor,
  type EditableComponent,
  type IcsComponent,
} from '#icalendar';
import { eventsIn, isSeries, zonesNamed, type CalendarObject } from './calendar-object.js';
import type { WriteContext } from './contract.js';
import { writeScheduleAgents } from './schedule-agent.js';

/** Period that a VTIMEZONE covers for a series; its last rule continues from there. */
const SERIES_REACH_MS = 10 * 366 * 86_400_000;

/**
 * Stamps changed components and defines new zones (RFC 5545 §3.6.5), unless the server knows zones by name (RFC 7809).
 * @throws DomainError ValidationFailed when the object becomes too large to read again
 */
export function finish(object: CalendarObject, changed: readonly EditableComponent[], context: WriteContext): Buffer {
  writeScheduleAgents(eventsIn(object), object.guestsBefore, context);
  for (const event of changed) {
    event.setProperty('DTSTAMP', utcStamp(context.nowMs), {});
    event.setProperty('LAST-MODIFIED', utcStamp(context.nowMs), {});
    if (!context.omitTimezones) defineZones(object, event);
  }
  const body = object.document.toBytes();
  assertReadable(body);
  return body;
}

function assertReadable(body: Buffer): void {
  try {
    IcsDocument.parse(body);
  } catch (error) {
    if (!(error instanceof IcsSyntaxError)) throw error;
    throw invalid('', `The event is too large to be kept: ${error.message}`);
  }
}

function defineZones(object: CalendarObject, event: EditableComponent): void {
  const tzids = new Set(zonesNamed(event).filter((tzid) => !object.namedZones.has(tzid)));
  for (const zone of object.calendar.componentsNamed('VTIMEZONE')) {
    for (const { value } of zone.propertiesNamed('TZID')) tzids.delete(value.trim());
  }
  for (const tzid of tzids) {
    // A foreign TZID without an IANA name cannot be defined.
    if (ianaZone(tzid) !== tzid) continue;
    const [fromMs, toMs] = reach(object, event);
    object.calendar.addComponent(vtimezoneFor(tzid, fromMs, toMs));
  }
}

function reach({ master, times }: CalendarObject, event: IcsComponent): [number, number] {
  const [start, end] = ['DTSTART', 'DTEND'].map((name) => {
    const property = event.property(name);
    const time = property === undefined ? null : parseIcsTime(property);
    return time === null ? null : times.instantOf(time);
  });
  const fromMs = start ?? 0;
  const lastMs = Math.max(end ?? fromMs, fromMs);
  if (event !== master || !isSeries(master)) return [fromMs, lastMs];
  return [fromMs, Math.max(lastMs, untilOf(event) ?? fromMs + SERIES_REACH_MS)];
}

function untilOf(event: IcsComponent): number | null {
  const rule = event.property('RRULE');
  if (rule === undefined) return null;
  try {
    return parseRule(rule.value, { dtstartKind: 'utc' }).until?.wallMs ?? null;
  } catch (error) {
    if (error instanceof RecurrenceError) return null;
    throw error;
  }
}

export function utcStamp(instantMs: number): string {
  return `${new Date(instantMs).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

/** Absent or unreadable counts as 0 (RFC 5545 §3.8.7.4). */
export function sequenceOf(event: IcsComponent): number {
  const value = event.property('SEQUENCE')?.value.trim() ?? '';
  return /^\d{1,9}$/.test(value) ? Number(value) : 0;
}

/** Raises SEQUENCE, which asks attendees to reconsider (RFC 5546 §2.1.4). Never lowers it. */
export function raiseSequence(event: EditableComponent, above = sequenceOf(event)): void {
  event.setProperty('SEQUENCE', String(Math.max(above, sequenceOf(event)) + 1), {});
}

/** Returns the same UUID for a repeated request, so that the server recognizes the duplicate (hardening F23). */
export function requestUuid(session: AccountSession, idempotencyKey: string | undefined, ...place: string[]): string {
  if (idempotencyKey === undefined) return randomUUID().toUpperCase();
  return uuidOf(JSON.stringify([session.applicationId, session.accountId, ...place, idempotencyKey]));
}

/** Derives a UUID from a text (RFC 9562 §5.8, custom), in upper case like Apple's clients. */
export function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    .toUpperCase();
}
