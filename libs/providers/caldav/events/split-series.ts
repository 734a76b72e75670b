import { createHash } from 'node:crypto';
import { DomainError, invalid, type EventInput } from '#domain';
import { checkOneRule } from '#providers/kit/series';
import { parseRule, withRuleEnd, type EditableComponent, type IcsTime } from '#icalendar';
import { openForWriting, type CalendarObject } from './calendar-object.js';
import { type WriteContext } from './contract.js';
import { endBefore, keepOverrides, keepTimes } from './end-series.js';
import { writeFields } from './event-fields-writer.js';
import { readSpan, writeSpan, writeTime } from './event-span.js';
import { finish } from './object-writer.js';
import { coversLaterInstances, isOverrideOf } from './override.js';
import { isOwnEvent } from './participants.js';
import { raiseSequence, utcStamp } from './revision.js';
import { countRuleInstancesBefore, findInstance, isRuleInstance, type Instance } from './series-instances.js';
import { updateSeries } from './update-series.js';
import { atInstant, instantOf, type Clocks } from './wall-time.js';

export interface Split {
  /** The series up to the instance. */
  ended: Buffer;
  /** The rest, changed. */
  uid: string;
  body: Buffer;
  ignoredFields: string[];
}

/**
 * Changes an instance and all later ones: the series ends before it, a new one with a UID of its own goes on from there.
 * The UID follows from the series and the instance, so that a repeated request makes the same object again.
 * @param bytes of the object that `object` was opened from
 * @throws DomainError ValidationFailed, Conflict, RecurrenceError
 */
export function splitSeries(
  bytes: Uint8Array,
  object: CalendarObject,
  instance: Instance,
  input: EventInput,
  context: WriteContext,
): Split {
  const { master } = object;
  const rest = openForWriting(bytes, context);
  if (master === null || rest.master === null) {
    throw new DomainError(
      'Conflict',
      'Only single instances of this series are known here; the series cannot be changed',
    );
  }
  checkCanEnd(object, master, instance, context);
  const uid = continuationUid(object.uid, instance.instanceDate);
  continueFrom(rest, rest.master, instance, uid, context.nowMs);
  const { ignoredFields, changed } = updateSeries(rest, findInstance(rest, instance.instanceDate), input, context);
  // An override for all later instances covers the whole new series: what is changed there has to change in it.
  const covering = rest.overrides.find(
    (override) => coversLaterInstances(override) && isOverrideOf(override, instance.recurrenceId, rest.clocks),
  );
  if (covering !== undefined) writeFields(covering, input, readSpan(covering, rest.clocks), rest.clocks, context);
  const body = finish(rest, [...new Set([rest.master, ...changed, ...(covering ? [covering] : [])])], context);

  endBefore(object, master, instance.recurrenceId);
  raiseSequence(master);
  return { ended: finish(object, [master], context), uid, body, ignoredFields };
}

/** @throws DomainError ValidationFailed when the series cannot be cut at this instance by us */
export function checkCanEnd(
  { clocks }: CalendarObject,
  master: EditableComponent,
  { recurrenceId }: Instance,
  { ownAddresses }: WriteContext,
): void {
  if (!isOwnEvent(master, ownAddresses)) {
    throw invalid('scope', 'following is for the organizer; this series belongs to somebody else');
  }
  checkOneRule(master.propertiesNamed('RRULE').length);
  if (master.property('RRULE') !== undefined && !isRuleInstance(master, recurrenceId, clocks)) {
    throw invalid('scope', 'following needs an instance of the rule; this one is an extra date');
  }
}

/** Makes the copy of a series begin at an instance. */
function continueFrom(
  object: CalendarObject,
  master: EditableComponent,
  instance: Instance,
  uid: string,
  nowMs: number,
): void {
  const { clocks } = object;
  const { recurrenceId } = instance;
  const limit = instantOf(recurrenceId, clocks);
  for (const property of master.propertiesNamed('RRULE')) {
    const { count } = parseRule(property.value, { dtstartKind: recurrenceId.kind });
    if (count === null) continue;
    const left = Math.max(1, count - countRuleInstancesBefore(master, recurrenceId, clocks));
    master.replaceProperty(property, withRuleEnd(property.value, { count: left }));
  }
  // To the server it is another event, to which nobody was invited yet.
  object.guestsBefore = new Map();
  keepTimes(master, recurrenceId, clocks, (instantMs) => instantMs >= limit);
  keepOverrides(object, recurrenceId, (instantMs, override) => instantMs >= limit || isMadeOf(instance, override));
  const covering = object.overrides.find((override) => isMadeOf(instance, override) && coversLaterInstances(override));
  if (covering !== undefined) {
    writeTime(covering, 'RECURRENCE-ID', recurrenceId);
    writeSpan(covering, instance.span);
  }
  moveStart(master, recurrenceId, clocks);
  for (const event of [master, ...object.overrides]) {
    event.setProperty('UID', uid);
    event.setProperty('CREATED', utcStamp(nowMs), {});
    event.setProperty('SEQUENCE', '0', {});
  }
}

/** True when an instance takes its lines from this override (compared by text: they are of two copies of one object). */
function isMadeOf(instance: Instance, override: EditableComponent): boolean {
  return coversLaterInstances(override) && override.text === instance.component.text;
}

/** The first instance's times, as long as before. */
function moveStart(master: EditableComponent, start: IcsTime, clocks: Clocks): void {
  const span = readSpan(master, clocks);
  if (span === null) return;
  const lengthMs = instantOf(span.end, clocks) - instantOf(span.start, clocks);
  const frame = span.end;
  writeSpan(master, { start, end: atInstant(frame, instantOf(start, clocks) + lengthMs, clocks) });
}

/** A UUID (RFC 9562 §5.8, custom), upper case like those that Apple's clients make. */
function continuationUid(uid: string, instanceDate: string): string {
  const bytes = createHash('sha256').update(`${uid}\n${instanceDate}`).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    .toUpperCase();
}
