import { DomainError, type EditOptions } from '#domain';
import { edit } from './edit.js';
import { scopeOf, seriesOf } from './event-edit.js';
import { deleteEvent } from './graph-writes.js';
import type { OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';
import { endSeries, openSplit } from './split-series.js';

/** @throws DomainError NotFound (also when it is already gone), ValidationFailed, PreconditionFailed, Conflict */
export async function removeEvent(calendar: OpenCalendar, eventId: string, options: EditOptions): Promise<void> {
  let isTried = false;
  try {
    await edit(calendar, eventId, options.ifMatch, async (event) => {
      isTried = true;
      await remove(calendar, event, options);
    });
  } catch (error) {
    // It was there, and is not any more: by our own request, whose answer was lost, or by somebody else's.
    if (!isTried || !(error instanceof DomainError) || error.code !== 'NotFound') throw error;
  }
}

async function remove(calendar: OpenCalendar, event: OutlookEvent, options: EditOptions): Promise<void> {
  // The whole of a series can be deleted by its id only; an instance is what `this` deletes.
  const scope = event.seriesId === null ? 'all' : scopeOf(event, options.scope);
  if (event.seriesId === null || scope === 'this') return deleteEvent(calendar, event, event);
  const series = await seriesOf(calendar, event.seriesId);
  const split = scope === 'following' ? openSplit(calendar, series, event) : null;
  return split === null ? deleteEvent(calendar, series, series) : endSeries(calendar, split);
}
