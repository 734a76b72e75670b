import { DomainError, type EditScope, type EventInput, type NewEventInput, type ResponseStatus } from '#domain';
import { asInvalid, editSeries } from '#providers/kit/series';
import { IcsValueError, RecurrenceError } from '#icalendar';
import { isSeries, openForWriting, type CalendarObject } from './calendar-object.js';
import { type WriteContext, type Written } from './contract.js';
import { createEvent } from './create-event.js';
import { checkSupported } from './event-fields-writer.js';
import { finish } from './object-writer.js';
import { removeInstance } from './override.js';
import { respondToEvent } from './respond-event.js';
import { findInstance, type Instance } from './series-instances.js';
import { instancesAfter } from './series-move.js';
import { canCut, endSeries, splitSeries } from './split-series.js';
import { updateInstance, updateSeries, type Edited } from './update-series.js';

/** An object after a change. */
export interface Updated extends Written {
  body: Buffer;
  /** `following`: the old series ends (in `body`), a new object holds the rest. */
  split?: { uid: string; body: Buffer };
  /** Instance the answer should show, by the date its id has; null for the series. */
  instanceDate: string | null;
}

/**
 * Changes one calendar object resource, line by line: the object's bytes in, its new bytes out. Pure; touches nothing but
 * the lines concerned. `instanceDate` null: the series or single event. Throws DomainError (ValidationFailed, NotFound,
 * Conflict, NotSupportedByProvider).
 */
export class EventWriter {
  create(uid: string, input: NewEventInput, context: WriteContext): Written & { body: Buffer } {
    return naming(() => createEvent(uid, input, context));
  }

  update(
    bytes: Uint8Array,
    instanceDate: string | null,
    scope: EditScope,
    input: EventInput,
    context: WriteContext,
  ): Updated {
    return naming(() => {
      checkSupported(input);
      const object = openForWriting(bytes, context);
      return edited<Updated>(object, instanceDate, scope, context, {
        instance: (instance) =>
          written(bytes, object, updateInstance(object, instance, input, context), context, instance.instanceDate),
        whole: (seen) => written(bytes, object, updateSeries(object, seen, input, context), context, null),
        following: (instance) => {
          const { ended, uid, body, ignoredFields } = splitSeries(bytes, object, instance, input, context);
          return { body: ended, ignoredFields, split: { uid, body }, instanceDate: null };
        },
      });
    });
  }

  remove(bytes: Uint8Array, instanceDate: string | null, scope: EditScope, context: WriteContext): Written {
    return naming(() => {
      const object = openForWriting(bytes, context);
      const body = edited<Buffer | null>(object, instanceDate, scope, context, {
        instance: (instance) => removeInstance(object, instance, context),
        whole: () => null,
        following: (instance) => endSeries(object, instance, context),
      });
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

  /**
   * Where instances of a series are after an edit, by the date parts of their ids; null for those that are gone.
   * @param firstInstance the one that `after` begins with; null when it begins like `before`
   */
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

/** @throws DomainError NotFound, ValidationFailed, Conflict; RecurrenceError */
function edited<Result>(
  object: CalendarObject,
  instanceDate: string | null,
  scope: EditScope,
  context: WriteContext,
  steps: {
    instance(instance: Instance): Result;
    whole(seen: Instance | null): Result;
    following(instance: Instance): Result;
  },
): Result {
  const seen = instanceDate === null ? null : existing(object, instanceDate);
  return editSeries({ instance: seen, isSeries: isSeries(object.master) }, scope, {
    ...steps,
    cut: (instance, goOn) => goOn(canCut(object, instance, context) ? instance : null),
  });
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
