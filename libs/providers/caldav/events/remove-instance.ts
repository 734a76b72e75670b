import { DomainError, type EditScope } from '#domain';
import { formatIcsTime, type EditableComponent } from '#icalendar';
import { type CalendarObject } from './calendar-object.js';
import { type WriteContext } from './contract.js';
import { endBefore } from './end-series.js';
import { finish } from './object-writer.js';
import { isOverrideOf, refuseRange } from './override.js';
import { isOwnEvent } from './participants.js';
import { raiseSequence } from './revision.js';
import { hasInstanceBefore, hasInstances, instanceTest, type Instance } from './series-instances.js';
import { checkCanEnd } from './split-series.js';

/**
 * Takes instances out of a series.
 * @returns the object without them; null when nothing is left of it
 * @throws DomainError ValidationFailed, Conflict; RecurrenceError
 */
export function removeInstance(
  object: CalendarObject,
  instance: Instance,
  scope: EditScope,
  context: WriteContext,
): Buffer | null {
  const { master } = object;
  if (scope === 'all') return null;
  if (master === null) {
    if (scope === 'following') {
      throw new DomainError(
        'Conflict',
        'Only single instances of this series are known here; the series cannot be changed',
      );
    }
    removeOverride(object, instance);
    return object.overrides.length === 0 ? null : finish(object, [], context);
  }
  if (scope === 'following') {
    if (!hasInstanceBefore(object, instance.recurrenceId)) return null;
    checkCanEnd(object, master, instance, context);
    endBefore(object, master, instance.recurrenceId);
  } else {
    removeOverride(object, instance);
    exclude(object, master, instance);
    if (!hasInstances(object)) return null;
  }
  if (isOwnEvent(master, context.ownAddresses)) raiseSequence(master);
  return finish(object, [master], context);
}

function removeOverride(object: CalendarObject, instance: Instance): void {
  object.overrides = object.overrides.filter((override) => {
    if (!isOverrideOf(override, instance.recurrenceId, object.clocks)) return true;
    refuseRange(override);
    object.calendar.removeComponent(override);
    return false;
  });
}

/** A line of its own, in the value type and zone of DTSTART; an override beside the series needs none. */
function exclude({ clocks }: CalendarObject, master: EditableComponent, { recurrenceId }: Instance): void {
  if (!instanceTest(master, clocks)(recurrenceId)) return;
  const { value, parameters } = formatIcsTime(recurrenceId);
  master.addProperty('EXDATE', value, parameters);
}
