import { type EditTarget } from '#event-rules';
import { GraphFault } from '../contract.js';
import { findEvent } from './find-event.js';
import type { OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';

/** An event that is to be changed or deleted, on condition of its version. */
export function editTarget(calendar: OpenCalendar, eventId: string): EditTarget<OutlookEvent> {
  return { find: () => findEvent(calendar, eventId), isOvertaken };
}

/** Somebody wrote in between: before the request came in, or while it was carried out. */
export function isOvertaken(error: unknown): boolean {
  if (!(error instanceof GraphFault)) return false;
  return error.status === 412 || (error.status === 409 && error.code === 'ErrorIrresolvableConflict');
}
