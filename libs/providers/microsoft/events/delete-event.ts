import type { EditOptions } from '#domain';
import { removeEvent } from '#providers/kit/events';
import { scopeOf } from '#providers/kit/series';
import { editTarget } from './edit.js';
import { seriesOf } from './event-edit.js';
import { deleteEvent } from './graph-writes.js';
import { finishInstances, isNothing, patchSeries } from './instance-work.js';
import { changedInstances } from './instances.js';
import type { OpenCalendar } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';
import { openSplit, planEnd } from './split-series.js';

/** @throws DomainError NotFound (also when it is already gone), ValidationFailed, PreconditionFailed, Conflict */
export async function deleteByScope(calendar: OpenCalendar, eventId: string, options: EditOptions): Promise<void> {
  await removeEvent(options.ifMatch, editTarget(calendar, eventId), (event) => remove(calendar, event, options));
}

async function remove(calendar: OpenCalendar, event: OutlookEvent, options: EditOptions): Promise<void> {
  const scope = scopeOf(event, options.scope);
  // The whole of a series can be deleted by its id only; an instance is what `this` deletes.
  if (event.seriesId === null || scope === 'this') return deleteEvent(calendar, event, event);
  const series = await seriesOf(calendar, event.seriesId);
  const split = scope === 'following' ? openSplit(calendar, series, event) : null;
  if (split === null) return deleteEvent(calendar, series, series);
  const end = await planEnd(calendar, split, await changedInstances(calendar, series));
  await patchSeries(calendar, series, end.change, end.instances);
  if (!isNothing(end.instances)) await finishInstances(calendar, series.graphId, end.instances);
}
