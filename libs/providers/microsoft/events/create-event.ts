import type { NewEventInput } from '#domain/events';
import type { WriteOptions } from '#domain/providers';
import { invalid } from '#domain/system';
import { datesOf, SeriesTimes, instanceDateOf, newSpan, readRecurrence } from '#providers/kit/series';
import { bodyOf, changedFields, seriesBody, spanBody } from './event-body.js';
import { toCalendarEvent } from './event-mapper.js';
import {
  ANY_VERSION,
  deleteEvent,
  ignoredOptions,
  insertEvent,
  newTransactionId,
  writtenEvent,
} from './graph-writes.js';
import { excludeDates } from './exception-journal.js';
import { settled } from './conference.js';
import type { OutlookCalendarHandle } from './open-calendar.js';
import type { OutlookEvent } from './outlook-event.js';
import { toGraphSeries } from './recurrence/patterned-recurrence.js';

/** Each deletion takes requests of its own. */
const MAX_EXCLUDED = 100;

/** @throws DomainError ValidationFailed, NotSupportedByProvider, Conflict */
export async function createEvent(calendar: OutlookCalendarHandle, input: NewEventInput, options: WriteOptions) {
  const { timeZone: calendarZone } = calendar;
  const isSeries = (input.recurrence?.length ?? 0) > 0;
  const asked = newSpan(input, { times: new SeriesTimes(calendarZone), isSeries });
  const lines = isSeries ? readRecurrence(input.recurrence ?? [], { start: asked.start, calendarZone }) : [];
  const series = isSeries ? toGraphSeries(lines, asked, calendarZone) : null;
  const excluded = datesOf(lines, 'EXDATE', { start: asked.start, calendarZone }).map(instanceDateOf);
  if (excluded.length > MAX_EXCLUDED) throw invalid('recurrence', `cannot exclude more than ${MAX_EXCLUDED} dates`);
  const transactionId = newTransactionId(calendar, options.idempotencyKey);
  const { body, own, ignoredFields } = await changedFields(calendar, input, null, { transactionId });
  const times = spanBody(series?.span ?? asked, calendarZone);
  const recurrence = series === null ? { body: {}, own: [] } : seriesBody(series);
  const properties = [...own, ...times.own, ...recurrence.own].filter(([, value]) => value !== '');
  const whole = bodyOf({ ...body, ...times.body, ...recurrence.body }, new Map(properties));
  const made = await insertEvent(calendar, { ...whole, transactionId });
  const event = await withoutExcluded(calendar, made, excluded, lines);
  return {
    event: toCalendarEvent(await settled(calendar, event), calendar),
    ignoredFields: [...ignoredFields, ...ignoredOptions(options)],
  };
}

/** Deletes the series again on failure, because it would show excluded instances. */
async function withoutExcluded(
  calendar: OutlookCalendarHandle,
  series: OutlookEvent,
  excluded: readonly string[],
  recurrence: string[],
): Promise<OutlookEvent> {
  if (excluded.length === 0) return series;
  try {
    await excludeDates(calendar, series, excluded);
  } catch (error) {
    await deleteEvent(calendar, series, ANY_VERSION);
    throw error;
  }
  return (await writtenEvent(calendar, series.graphId, () => ({ ...series, recurrence }))) ?? series;
}
