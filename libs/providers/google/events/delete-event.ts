import type { EditOptions } from '#domain';
import { removeEvent } from '#providers/kit/events';
import { scopeOf } from '#providers/kit/series';
import { editTarget } from './edit.js';
import { seriesOf } from './event-edit.js';
import { deleteEvent } from './google-writes.js';
import type { GoogleEvent } from './google-event.js';
import type { OpenCalendar } from './open-calendar.js';
import { endSeries, openSplit } from './split-series.js';

/** @throws DomainError NotFound (also when it is already gone), ValidationFailed, PreconditionFailed, Conflict */
export async function deleteByScope(calendar: OpenCalendar, eventId: string, options: EditOptions): Promise<void> {
  await removeEvent(options.ifMatch, editTarget(calendar, eventId), (event) => remove(calendar, event, options));
}

async function remove(calendar: OpenCalendar, event: GoogleEvent, options: EditOptions): Promise<void> {
  const scope = scopeOf({ ...event, isSeries: event.recurrence.length > 0 }, options.scope);
  // The whole of a series can be deleted by its id only; an instance is what `this` deletes.
  if (event.seriesId === null || scope === 'this') return deleteEvent(calendar, event.id, event, options);
  const series = await seriesOf(calendar, event.seriesId);
  const split = scope === 'following' ? await openSplit(calendar, series, event) : null;
  return split === null ? deleteEvent(calendar, series.id, series, options) : endSeries(calendar, split, options);
}
