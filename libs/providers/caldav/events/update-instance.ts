import { invalid, type EventInput } from '#domain';
import { type EditableComponent } from '#icalendar';
import { type CalendarObject } from './calendar-object.js';
import { type WriteContext } from './contract.js';
import { writeFields } from './event-fields-writer.js';
import { asShown, readSpan, writeSpan, writeTime } from './event-span.js';
import { changedSpan } from './input-times.js';
import { isOverrideOf, refuseRange } from './override.js';
import { isOwnEvent } from './participants.js';
import { RECURRENCE_PROPERTIES } from './recurrence-dates.js';
import { raiseSequence, sequenceOf } from './revision.js';
import { type Instance } from './series-instances.js';
import { type Edited } from './update-series.js';

/** Changes one instance, in an override of its own. @throws DomainError ValidationFailed, Conflict */
export function updateInstance(
  object: CalendarObject,
  instance: Instance,
  input: EventInput,
  context: WriteContext,
): Edited {
  if ((input.recurrence?.length ?? 0) > 0) {
    throw invalid('recurrence', 'belongs to the series; change it with scope=all or scope=following');
  }
  const { clocks, master } = object;
  const override = overrideOf(object, instance);
  const before = override.text;
  const own = readSpan(override, clocks);
  const span =
    own === null
      ? null
      : changedSpan(asShown(override, own), input, {
          clocks,
          calendarTimeZone: context.calendarTimeZone,
          isSeries: false,
        });
  if (span !== null) writeSpan(override, span);
  const ignoredFields = writeFields(override, input, span ?? own, clocks, context);
  if (override.text === before) return { ignoredFields, changed: [] };
  if (span !== null && isOwnEvent(override, context.ownAddresses)) {
    raiseSequence(override, master === null ? undefined : sequenceOf(master));
  }
  return { ignoredFields, changed: [override] };
}

/**
 * The override that replaces an instance; a new one is a copy of what the instance is made of, less the rule, with
 * RECURRENCE-ID in the value type and zone of the series' start (RFC 5545 §3.8.4.4).
 * @throws DomainError Conflict where an override for this and all later instances begins: it cannot be told apart from
 * one for this instance
 */
export function overrideOf(object: CalendarObject, instance: Instance): EditableComponent {
  if (isOverrideOf(instance.component, instance.recurrenceId, object.clocks)) {
    refuseRange(instance.component);
    return instance.component;
  }
  const override = object.calendar.addComponent(instance.component.text);
  for (const name of [...RECURRENCE_PROPERTIES, 'RECURRENCE-ID']) override.removeProperties(name);
  writeTime(override, 'RECURRENCE-ID', instance.recurrenceId);
  writeSpan(override, instance.span);
  object.overrides.push(override);
  return override;
}
