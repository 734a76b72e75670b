import type { EditTarget } from '#providers/kit/events';
import { findEvent } from './find-event.js';
import { isOvertaken } from './graph-writes.js';
import { resumeInstances } from './instance-work.js';
import type { OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';

/** An event that is to be changed or deleted, on condition of its version. */
export function editTarget(calendar: OpenCalendar, eventId: string): EditTarget<OutlookEvent> {
  return {
    find: () => findEvent(calendar, eventId, (series) => resumeInstances(calendar, series)),
    isOvertaken,
  };
}
