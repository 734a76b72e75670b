import { DomainError } from '#domain';
import { isSame, recurrenceIdOf, RECURRENCE_PROPERTIES, RecurringSeries, type IcsTimes } from '#providers/kit/series';
import { formatIcsTime, type EditableComponent, type IcsComponent, type IcsTime } from '#icalendar';
import { type CalendarObject } from './calendar-object.js';
import { type WriteContext } from './contract.js';
import { writeSpan, writeTime } from './event-span.js';
import { finish, raiseSequence } from './object-writer.js';
import { isOwnEvent } from './attendees.js';
import { type Instance } from './series-instances.js';

/** True when a component is the override of this very instance. */
export function isOverrideOf(component: IcsComponent, recurrenceId: IcsTime, times: IcsTimes): boolean {
  const id = recurrenceIdOf(component);
  return id !== null && isSame(times, times.like(recurrenceId, id), recurrenceId);
}

/** RANGE=THISANDFUTURE (RFC 5545 §3.2.13). */
export function coversLaterInstances(override: IcsComponent): boolean {
  return override.property('RECURRENCE-ID')?.parameter('RANGE')?.toUpperCase() === 'THISANDFUTURE';
}

/**
 * The override that replaces an instance; a new one is a copy of what the instance is made of, less the rule, with
 * RECURRENCE-ID in the value type and zone of the series' start (RFC 5545 §3.8.4.4).
 * @throws DomainError Conflict
 */
export function overrideOf(object: CalendarObject, instance: Instance): EditableComponent {
  if (isOverrideOf(instance.component, instance.recurrenceId, object.times)) {
    refuseRange(instance.component);
    return instance.component;
  }
  const override = object.calendar.addComponent(instance.component.text);
  for (const name of [...RECURRENCE_PROPERTIES, 'RECURRENCE-ID']) override.removeProperties(name);
  writeTime(override, 'RECURRENCE-ID', instance.recurrenceId);
  writeSpan(override, instance.span);
  object.overrides.push(override);
  return override;
}

/**
 * Takes an instance out of a series: an EXDATE of its own, in the value type and zone of DTSTART.
 * @returns the object without it; null when nothing is left
 * @throws DomainError Conflict; RecurrenceError
 */
export function removeInstance(object: CalendarObject, instance: Instance, context: WriteContext): Buffer | null {
  const { master, times } = object;
  const { recurrenceId } = instance;
  keepOverrides(object, (override) => {
    if (!isOverrideOf(override, recurrenceId, times)) return true;
    refuseRange(override);
    return false;
  });
  if (master === null) return object.overrides.length === 0 ? null : finish(object, [], context);
  // An override beside the series needs none.
  if (new RecurringSeries(object, times).has(recurrenceId)) {
    const { value, parameters } = formatIcsTime(recurrenceId);
    master.addProperty('EXDATE', value, parameters);
  }
  if (!new RecurringSeries(object, times).hasInstances()) return null;
  if (isOwnEvent(master, context.ownAddresses)) raiseSequence(master);
  return finish(object, [master], context);
}

/** Drops overrides that do not pass. */
export function keepOverrides(object: CalendarObject, keeps: (override: EditableComponent) => boolean): void {
  object.overrides = object.overrides.filter((override) => {
    const stays = keeps(override);
    if (!stays) object.calendar.removeComponent(override);
    return stays;
  });
}

/**
 * An override for this and all later instances cannot stand beside one for this instance alone: both have the same
 * RECURRENCE-ID.
 * @throws DomainError Conflict
 */
function refuseRange(override: IcsComponent): void {
  if (!coversLaterInstances(override)) return;
  throw new DomainError(
    'Conflict',
    'A change of this and all later instances begins here; use scope=following or scope=all',
  );
}
