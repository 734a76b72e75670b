import type { EditTarget } from '#providers/kit/events';
import { GoogleFault } from '../contract.js';
import { findEvent } from './find-event.js';
import type { GoogleEvent } from './google-event.js';
import type { OpenCalendar } from './open-calendar.js';

/** An event that is to be changed or deleted, on condition of its version. */
export function editTarget(calendar: OpenCalendar, eventId: string): EditTarget<GoogleEvent> {
  return { find: () => findEvent(calendar, eventId), isOvertaken };
}

/** Somebody wrote between the read and the write. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof GoogleFault && error.status === 412;
}
