import {
  DomainError,
  invalid,
  type EditScope,
  type EventInput,
  type NewEventInput,
  type ResponseStatus,
} from '#domain';
import { IcsValueError, RecurrenceError } from '#icalendar';
import { isSeries, openForWriting, type CalendarObject } from './calendar-object.js';
import { type EventWriter, type WriteContext, type Written } from './contract.js';
import { createEvent } from './create-event.js';
import { checkSupported } from './event-fields-writer.js';
import { instancesAfter } from './moved-instances.js';
import { finish } from './object-writer.js';
import { asInvalid } from './recurrence-input.js';
import { removeInstance } from './remove-instance.js';
import { respondToEvent } from './respond-event.js';
import { findInstance, hasInstanceBefore, type Instance } from './series-instances.js';
import { splitSeries } from './split-series.js';
import { updateInstance } from './update-instance.js';
import { updateSeries, type Edited } from './update-series.js';

/** Changes calendar objects line by line. See {@link EventWriter}. */
export class CalendarObjectWriter implements EventWriter {
  create(uid: string, input: NewEventInput, context: WriteContext): Written & { body: Buffer } {
    return naming(() => createEvent(uid, input, context));
  }

  update(
    bytes: Uint8Array,
    instanceDate: string | null,
    scope: EditScope,
    input: EventInput,
    context: WriteContext,
  ): ReturnType<EventWriter['update']> {
    return naming(() => {
      checkSupported(input);
      const object = openForWriting(bytes, context);
      if (instanceDate === null) {
        checkScope(object, scope);
        return written(bytes, object, updateSeries(object, null, input, context), context, null);
      }
      const instance = existing(object, instanceDate);
      if (scope === 'this') {
        const edited = updateInstance(object, instance, input, context);
        return written(bytes, object, edited, context, instance.instanceDate);
      }
      if (scope === 'following' && object.master !== null && hasInstanceBefore(object, instance.recurrenceId)) {
        const { ended, uid, body, ignoredFields } = splitSeries(bytes, object, instance, input, context);
        return { body: ended, ignoredFields, split: { uid, body }, instanceDate: null };
      }
      return written(bytes, object, updateSeries(object, instance, input, context), context, null);
    });
  }

  remove(bytes: Uint8Array, instanceDate: string | null, scope: EditScope, context: WriteContext): Written {
    return naming(() => {
      const object = openForWriting(bytes, context);
      if (instanceDate === null) {
        checkScope(object, scope);
        return { body: null, ignoredFields: [] };
      }
      const body = removeInstance(object, existing(object, instanceDate), scope, context);
      return { body, ignoredFields: [] };
    });
  }

  respond(
    bytes: Uint8Array,
    instanceDate: string | null,
    status: ResponseStatus,
    context: WriteContext,
  ): Written & { body: Buffer } {
    return naming(() => {
      const object = openForWriting(bytes, context);
      const instance = instanceDate === null ? null : existing(object, instanceDate);
      return { body: respondToEvent(object, instance, status, context), ignoredFields: [] };
    });
  }

  instancesAfter(
    before: Uint8Array,
    after: Uint8Array,
    firstInstance: string | null,
    instanceDates: readonly string[],
    calendarTimeZone: string,
  ): Map<string, string | null> {
    try {
      return instancesAfter(before, after, firstInstance, instanceDates, calendarTimeZone);
    } catch (error) {
      // Nothing that needs the instances of such a series can have been done to it.
      if (error instanceof RecurrenceError) return new Map(instanceDates.map((date) => [date, date]));
      throw error;
    }
  }
}

/** Of an event as a whole. @throws DomainError ValidationFailed */
function checkScope({ master }: CalendarObject, scope: EditScope): void {
  if (scope === 'this' && isSeries(master)) throw invalid('scope', 'this needs the id of an instance');
}

/** What is excluded or cancelled is not there. @throws DomainError NotFound */
function existing(object: CalendarObject, instanceDate: string): Instance {
  const instance = findInstance(object, instanceDate);
  if (instance === null || instance.isCancelled) throw new DomainError('NotFound', 'The event has no such instance');
  return instance;
}

/** An input that changes nothing leaves every byte, time stamps included. */
function written(
  bytes: Uint8Array,
  object: CalendarObject,
  { ignoredFields, changed }: Edited,
  context: WriteContext,
  instanceDate: string | null,
): Written & { body: Buffer; instanceDate: string | null } {
  const body = changed.length === 0 ? Buffer.from(bytes) : finish(object, changed, context);
  return { body, ignoredFields, instanceDate };
}

/**
 * A recurrence that cannot be worked with is named to the caller. What callers write is checked before: a value that
 * cannot be written then comes from the object, such as a TZID with control characters.
 */
function naming<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof IcsValueError) {
      throw new DomainError('Conflict', 'The server holds this event in a form that cannot be changed', {
        cause: error,
      });
    }
    throw asInvalid(error);
  }
}
