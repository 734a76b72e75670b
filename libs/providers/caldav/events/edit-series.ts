import type { EventInput } from '#domain/events';
import { parseDuration, type EditableComponent, type ZoneSource } from '#icalendar';
import {
  changedInstanceSpan,
  changedSeriesSpan,
  checkCut,
  continueFrom,
  endBefore,
  recurrenceIdOf,
  RecurringSeries,
  spanFrom,
} from '#providers/kit/series';
import { isOwnEvent, writeMyResponse } from './attendees.js';
import { isSeries, masterOf, openForWriting, type CalendarObject } from './calendar-object.js';
import type { WriteContext } from './contract.js';
import { writeFields } from './event-fields-writer.js';
import { asShown, readSpan, writeSpan, writeTime, type IcsSpan } from './event-span.js';
import {
  coversLaterInstances,
  findInstance,
  isOverrideOf,
  keepOverrides,
  overrideOf,
  type DavInstance,
} from './instances.js';
import { finish, raiseSequence, sequenceOf, utcStamp, uuidOf } from './object-writer.js';
import { planRecurrence } from './recurrence-lines.js';
import { reschedule } from './series-move.js';

export interface EditedResource {
  ignoredFields: string[];
  changed: EditableComponent[];
}

/**
 * Changes a series, and the override of the instance that the caller named: it is changed as it is seen, with what it
 * has of its own.
 * @param named null for the series itself
 * @throws DomainError ValidationFailed, Conflict, RecurrenceError
 */
export function updateSeries(
  object: CalendarObject,
  named: DavInstance | null,
  input: EventInput,
  context: WriteContext,
): EditedResource {
  const { times } = object;
  const override = named && object.overrides.find((one) => isOverrideOf(one, named.recurrenceId, times));
  const { recurrence: _recurrence, ...fields } = input;
  const span = override ? changedInstanceSpan(shownSpan(override, object), fields, times) : null;
  const { ignoredFields, changed } = updateMaster(object, named, input, context);
  if (!override || !object.overrides.includes(override)) return { ignoredFields, changed };
  const before = override.text;
  if (span !== null) writeSpan(override, span);
  writeFields(override, input, readSpan(override, times), times, context);
  return { ignoredFields, changed: override.text === before ? changed : [...new Set([...changed, override])] };
}

/** @param anchor instance whose times the caller edits, compared with the new times; null for the series itself */
function updateMaster(
  object: CalendarObject,
  anchor: DavInstance | null,
  input: EventInput,
  context: WriteContext,
): EditedResource {
  const { times } = object;
  const master = masterOf(object);
  const others = object.overrides.map((override) => ({ override, text: override.text }));
  const text = master.text;
  const plan = recurrencePlan(master, input, times.zones);
  const frame = { times, isSeries: plan === null ? isSeries(master) : plan !== 'none' };
  const own = readSpan(master, times);
  const seen = anchor && asShown(anchor.component, anchor.span);
  const span = own && changedSeriesSpan(asShown(master, own), seen, input, frame);
  if (span !== null || plan !== null) {
    reschedule(object, master, span, plan);
    if (isOwnEvent(master, context.ownAddresses)) raiseSequence(master);
  }
  const ignoredFields = writeFields(master, input, span ?? own, times, context);
  // A reply to a series is one to each of its instances, as with an RSVP.
  for (const override of object.overrides) writeMyResponse(override, input.myResponseStatus, context.ownAddresses);
  const changed = others
    .filter(({ override, text: before }) => object.overrides.includes(override) && override.text !== before)
    .map(({ override }) => override);
  return { ignoredFields, changed: master.text === text ? changed : [master, ...changed] };
}

function recurrencePlan(master: EditableComponent, { recurrence }: EventInput, zones: ZoneSource) {
  if (recurrence === undefined) return null;
  if (recurrence === null || recurrence.length === 0) return isSeries(master) ? 'none' : null;
  return planRecurrence(recurrence, master, zones);
}

export function updateInstance(
  object: CalendarObject,
  instance: DavInstance,
  input: EventInput,
  context: WriteContext,
): EditedResource {
  const { times, master } = object;
  const override = overrideOf(object, instance);
  const before = override.text;
  const span = changedInstanceSpan(shownSpan(override, object), input, times);
  if (span !== null) writeSpan(override, span);
  const ignoredFields = writeFields(override, input, readSpan(override, times), times, context);
  if (override.text === before) return { ignoredFields, changed: [] };
  if (span !== null && isOwnEvent(override, context.ownAddresses)) {
    raiseSequence(override, master === null ? undefined : sequenceOf(master));
  }
  return { ignoredFields, changed: [override] };
}

/**
 * Ends the series before an instance and continues it under another UID. The UID derives from the instance and the
 * version of the series: a repeated request creates the same object, a later one another.
 * @param bytes source of `object`
 * @throws DomainError ValidationFailed, Conflict, RecurrenceError
 */
export function splitSeries(
  bytes: Uint8Array,
  object: CalendarObject,
  instance: DavInstance,
  input: EventInput,
  context: WriteContext,
) {
  const uid = uuidOf(`${instance.instanceDate}\n${Buffer.from(bytes).toString('latin1')}`);
  const rest = openForWriting(bytes, context);
  const restMaster = masterOf(rest);
  continueWith(rest, restMaster, instance, uid, context.nowMs);
  const { ignoredFields, changed } = updateSeries(rest, findInstance(rest, instance.instanceDate), input, context);
  const body = finish(rest, [...new Set([restMaster, ...changed])], context);
  return { ended: endSeries(object, instance, context), uid, body, ignoredFields };
}

function shownSpan(event: EditableComponent, { times }: CalendarObject): IcsSpan | null {
  const span = readSpan(event, times);
  return span && asShown(event, span);
}

export function endSeries(object: CalendarObject, instance: DavInstance, context: WriteContext): Buffer {
  const master = masterOf(object);
  endBefore(master, instance.recurrenceId, object.times, countBefore(object, instance));
  keepInstances(object, instance, (isLater) => !isLater);
  raiseSequence(master);
  return finish(object, [master], context);
}

/** @returns true when an instance is left before it @throws DomainError ValidationFailed, Conflict; RecurrenceError */
export function canCut(object: CalendarObject, { recurrenceId }: DavInstance, { ownAddresses }: WriteContext): boolean {
  const master = masterOf(object);
  const series = new RecurringSeries(object, object.times);
  if (!series.startsBefore(object.times.instantOf(recurrenceId))) return false;
  const rules = master.propertiesNamed('RRULE').length;
  const isOfRule = rules !== 1 || series.isOfRule(recurrenceId);
  checkCut({ isOrganizer: isOwnEvent(master, ownAddresses), rules, isOfRule });
  return true;
}

function countBefore(object: CalendarObject, { recurrenceId }: DavInstance): () => number {
  return () => new RecurringSeries(object, object.times).countBefore(recurrenceId);
}

function continueWith(
  object: CalendarObject,
  master: EditableComponent,
  instance: DavInstance,
  uid: string,
  nowMs: number,
): void {
  const { recurrenceId, span } = instance;
  continueFrom(master, recurrenceId, object.times, countBefore(object, instance));
  // The server sees a new event without guests.
  object.guestsBefore = new Map();
  keepInstances(object, instance, (isLater, override) => isLater || isMadeOf(instance, override));
  const covering = object.overrides.find((override) => isMadeOf(instance, override));
  if (covering !== undefined) {
    writeTime(covering, 'RECURRENCE-ID', recurrenceId);
    writeSpan(covering, span);
  }
  moveStart(object, master, instance);
  for (const event of [master, ...object.overrides]) {
    event.setProperty('UID', uid);
    event.setProperty('CREATED', utcStamp(nowMs), {});
    event.setProperty('SEQUENCE', '0', {});
  }
}

function keepInstances(
  object: CalendarObject,
  { recurrenceId }: DavInstance,
  keeps: (isLater: boolean, override: EditableComponent) => boolean,
): void {
  const { times } = object;
  const limitMs = times.instantOf(recurrenceId);
  keepOverrides(object, (override) => {
    const id = recurrenceIdOf(override);
    return id === null || keeps(times.instantOf(times.like(recurrenceId, id)) >= limitMs, override);
  });
}

/** True when the instance takes its lines from this override. Compares text, because they belong to two copies. */
function isMadeOf(instance: DavInstance, override: EditableComponent): boolean {
  return coversLaterInstances(override) && override.text === instance.component.text;
}

function moveStart({ times }: CalendarObject, master: EditableComponent, { recurrenceId: start }: DavInstance): void {
  const span = readSpan(master, times);
  if (span === null) return;
  if (start.kind === 'date') {
    writeSpan(master, spanFrom(start, span, times));
    return;
  }
  if (hasNominalDays(master)) {
    writeTime(master, 'DTSTART', start);
    return;
  }
  const lengthMs = times.instantOf(span.end) - times.instantOf(span.start);
  writeSpan(master, { start, end: times.atInstant(span.end, times.instantOf(start) + lengthMs) });
}

/** A DTEND would make a length in days exact (RFC 5545 §3.8.5.3): instances on a clock change would end an hour off. */
function hasNominalDays(event: EditableComponent): boolean {
  if (event.property('DTEND') !== undefined) return false;
  return (parseDuration(event.property('DURATION')?.value ?? '')?.days ?? 0) !== 0;
}
