import { DomainError, type EventInput } from '#domain';
import { wallMsOf, withWallMs, type EditableComponent, type ZoneSource } from '#icalendar';
import { isSeries, type CalendarObject } from './calendar-object.js';
import { type WriteContext } from './contract.js';
import { writeFields } from './event-fields-writer.js';
import { asShown, readSpan } from './event-span.js';
import { changedSpan, type Span } from './input-times.js';
import { isOwnEvent } from './participants.js';
import { planRecurrence } from './recurrence-input.js';
import { raiseSequence } from './revision.js';
import { type Instance } from './series-instances.js';
import { reschedule } from './series-move.js';

export interface Edited {
  ignoredFields: string[];
  /** Components whose lines changed. */
  changed: EditableComponent[];
}

/**
 * Changes a single event, or a whole series.
 * @param anchor the instance that the caller looks at: its times are what new times are compared with, and the series
 * moves by the difference; null when the caller looks at the series itself
 * @throws DomainError ValidationFailed, Conflict, RecurrenceError
 */
export function updateSeries(
  object: CalendarObject,
  anchor: Instance | null,
  input: EventInput,
  context: WriteContext,
): Edited {
  const { master, clocks } = object;
  if (master === null) {
    throw new DomainError(
      'Conflict',
      'Only single instances of this series are known here; the series cannot be changed',
    );
  }
  const others = object.overrides.map((override) => ({ override, text: override.text }));
  const text = master.text;
  const plan = recurrencePlan(master, input, clocks.zones);
  const staysSeries = plan === null ? isSeries(master) : plan !== 'none';
  const own = readSpan(master, clocks);
  const span = own === null ? null : newTimes(own, master, anchor, input, object, context, staysSeries);
  if (span !== null || plan !== null) {
    reschedule(object, master, { span, recurrence: plan });
    if (isOwnEvent(master, context.ownAddresses)) raiseSequence(master);
  }
  const ignoredFields = writeFields(master, input, span ?? own, clocks, context);
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

/** New times of the first instance; null when they stay. */
function newTimes(
  own: Span,
  master: EditableComponent,
  anchor: Instance | null,
  input: EventInput,
  { clocks }: CalendarObject,
  { calendarTimeZone }: WriteContext,
  staysSeries: boolean,
): Span | null {
  const frame = { clocks, calendarTimeZone, isSeries: staysSeries };
  if (anchor === null) return changedSpan(asShown(master, own), input, frame);
  const span = changedSpan(asShown(anchor.component, anchor.span), input, frame);
  if (span === null) return null;
  const backMs = wallMsOf(own.start) - wallMsOf(anchor.span.start);
  return {
    start: withWallMs(span.start, wallMsOf(span.start) + backMs),
    end: withWallMs(span.end, wallMsOf(span.end) + backMs),
  };
}
