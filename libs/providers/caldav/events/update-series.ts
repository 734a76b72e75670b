import { type EventInput } from '#domain';
import { changedInstanceSpan, changedSeriesSpan } from '#providers/kit/series';
import { type EditableComponent, type ZoneSource } from '#icalendar';
import { isSeries, masterOf, type CalendarObject } from './calendar-object.js';
import { type WriteContext } from './contract.js';
import { writeFields } from './event-fields-writer.js';
import { asShown, readSpan, writeSpan } from './event-span.js';
import { overrideOf } from './override.js';
import { isOwnEvent } from './attendees.js';
import { planRecurrence } from './recurrence-input.js';
import { raiseSequence, sequenceOf } from './object-writer.js';
import { type Instance } from './series-instances.js';
import { reschedule } from './series-move.js';

export interface Edited {
  ignoredFields: string[];
  /** Components whose lines changed. */
  changed: EditableComponent[];
}

/**
 * Changes a single event, or a whole series.
 * @param anchor the instance that the caller looks at: its times are what new times are compared with; null when the
 * caller looks at the series itself
 * @throws DomainError ValidationFailed, Conflict, RecurrenceError
 */
export function updateSeries(
  object: CalendarObject,
  anchor: Instance | null,
  input: EventInput,
  context: WriteContext,
): Edited {
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
    reschedule(object, master, { span, recurrence: plan });
    if (isOwnEvent(master, context.ownAddresses)) raiseSequence(master);
  }
  const ignoredFields = writeFields(master, input, span ?? own, times, context);
  const changed = others
    .filter(({ override, text: before }) => object.overrides.includes(override) && override.text !== before)
    .map(({ override }) => override);
  return { ignoredFields, changed: master.text === text ? changed : [master, ...changed] };
}

function recurrencePlan(
  master: EditableComponent,
  { recurrence }: EventInput,
  zones: ZoneSource,
): ReturnType<typeof planRecurrence> | 'none' {
  if (recurrence === undefined) return null;
  if (recurrence === null || recurrence.length === 0) return isSeries(master) ? 'none' : null;
  return planRecurrence(recurrence, master, zones);
}

/** Changes one instance, in an override of its own. @throws DomainError ValidationFailed, Conflict */
export function updateInstance(
  object: CalendarObject,
  instance: Instance,
  input: EventInput,
  context: WriteContext,
): Edited {
  const { times, master } = object;
  const override = overrideOf(object, instance);
  const before = override.text;
  const own = readSpan(override, times);
  const span = changedInstanceSpan(own && asShown(override, own), input, times);
  if (span !== null) writeSpan(override, span);
  const ignoredFields = writeFields(override, input, span ?? own, times, context);
  if (override.text === before) return { ignoredFields, changed: [] };
  if (span !== null && isOwnEvent(override, context.ownAddresses)) {
    raiseSequence(override, master === null ? undefined : sequenceOf(master));
  }
  return { ignoredFields, changed: [override] };
}
