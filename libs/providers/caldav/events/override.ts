import { DomainError } from '#domain';
import { parseIcsTime, type IcsComponent, type IcsTime } from '#icalendar';
import { timeLike } from './recurrence-dates.js';
import { isSameTime, type Clocks } from './wall-time.js';

/** The instance that an override stands for, as written. */
export function recurrenceIdOf(override: IcsComponent): IcsTime | null {
  const property = override.property('RECURRENCE-ID');
  return property === undefined ? null : parseIcsTime(property);
}

/** True when a component is the override of this very instance. */
export function isOverrideOf(component: IcsComponent, recurrenceId: IcsTime, clocks: Clocks): boolean {
  const id = recurrenceIdOf(component);
  return id !== null && isSameTime(timeLike(recurrenceId, id, clocks), recurrenceId, clocks);
}

/** RANGE=THISANDFUTURE (RFC 5545 §3.2.13). */
export function coversLaterInstances(override: IcsComponent): boolean {
  return override.property('RECURRENCE-ID')?.parameter('RANGE')?.toUpperCase() === 'THISANDFUTURE';
}

/**
 * An override for this and all later instances cannot stand beside one for this instance alone: both have the same
 * RECURRENCE-ID.
 * @throws DomainError Conflict
 */
export function refuseRange(override: IcsComponent): void {
  if (!coversLaterInstances(override)) return;
  throw new DomainError(
    'Conflict',
    'A change of this and all later instances begins here; use scope=following or scope=all',
  );
}
