import type { EventInput, NewEventInput, ResponseStatus } from '#domain/events';
import type { EditScope } from '#domain/providers';
import { DomainError, invalid } from '#domain/system';
import { IcsValueError } from '#icalendar';
import { asInvalid, editSeries, newSpan } from '#providers/kit/series';
import { ownAttendee, setResponse } from './attendees.js';
import { eventsIn, isSeries, openForWriting, openObject, type CalendarObject } from './calendar-object.js';
import type { WriteContext } from './contract.js';
import { checkSupported, writeFields } from './event-fields-writer.js';
import { writeSpan } from './event-span.js';
import { finish, utcStamp } from './object-writer.js';
import { findInstance, overrideOf, removeInstance, type DavInstance } from './instances.js';
import { planRecurrence, writeRecurrence } from './recurrence-lines.js';
import { isOrganizer } from './schedule-agent.js';
import { canCut, endSeries, splitSeries, updateInstance, updateSeries, type EditedResource } from './edit-series.js';

interface Written {
  body: Buffer;
  ignoredFields: string[];
}

interface Updated extends Written {
  /** Set for scope `following`: the old series ends in `body`, a new object holds the rest. */
  split?: { uid: string; body: Buffer };
  /** Date part of the id of the instance to return; null for the series. */
  instanceDate: string | null;
}

/**
 * Changes one calendar object resource line by line. `instanceDate` is null for the series or single event.
 * @throws DomainError ValidationFailed, NotFound, Conflict, NotSupportedByProvider
 */
export class EventWriter {
  /** Creates an object with one UID (RFC 4791 §4.1). */
  create(uid: string, input: NewEventInput, context: WriteContext): Written {
    return naming(() => {
      checkSupported(input);
      const object = openObject(emptyObject(uid, context.nowMs), context.calendarTimeZone);
      const event = object?.master ?? null;
      if (object === null || event === null) throw invalid('', 'The event cannot be written');
      const { times } = object;
      const plan = input.recurrence ? planRecurrence(input.recurrence, null, times.zones) : null;
      const span = newSpan(input, { times, isSeries: plan !== null });
      writeSpan(event, span);
      if (plan !== null) writeRecurrence(event, plan, span.start, times);
      const ignoredFields = writeFields(event, input, span, times, context);
      return { body: finish(object, [event], context), ignoredFields };
    });
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

  remove(bytes: Uint8Array, instanceDate: string | null, scope: EditScope, context: WriteContext): Buffer | null {
    return naming(() => {
      const object = openForWriting(bytes, context);
      return edited<Buffer | null>(object, instanceDate, scope, context, {
        instance: (instance) => removeInstance(object, instance, context),
        whole: () => null,
        following: (instance) => endSeries(object, instance, context),
      });
    });
  }

  /**
   * Changes only the user's own PARTSTAT: servers reject other changes by an attendee (RFC 6638 §3.2.2.1).
   * @throws DomainError ValidationFailed for an organizer or an uninvited user
   */
  respond(bytes: Uint8Array, instanceDate: string | null, status: ResponseStatus, context: WriteContext): Buffer {
    const { ownAddresses } = context;
    return naming(() => {
      const object = openForWriting(bytes, context);
      const instance = instanceDate === null ? null : existing(object, instanceDate);
      const events = instance === null ? eventsIn(object) : [instance.component];
      if (isOrganizer(events, ownAddresses)) {
        throw invalid('responseStatus', 'the organizer of an event does not answer an invitation to it');
      }
      const replying = events.filter((event) => ownAttendee(event, ownAddresses) !== undefined);
      if (replying.length === 0) throw invalid('responseStatus', 'this account is not invited to the event');
      const changed = instance === null ? replying : [overrideOf(object, instance)];
      for (const event of changed) {
        const own = ownAttendee(event, ownAddresses);
        if (own === undefined) throw new DomainError('Conflict', 'The invitation was lost');
        setResponse(event, own, status);
      }
      return finish(object, changed, context);
    });
  }
}

/** Runs the step of the scope. @throws DomainError NotFound, ValidationFailed, Conflict; RecurrenceError */
function edited<Result>(
  object: CalendarObject,
  instanceDate: string | null,
  scope: EditScope,
  context: WriteContext,
  steps: {
    instance(instance: DavInstance): Result;
    whole(seen: DavInstance | null): Result;
    following(instance: DavInstance): Result;
  },
): Result {
  const seen = instanceDate === null ? null : existing(object, instanceDate);
  return editSeries({ instance: seen, isSeries: isSeries(object.master) }, scope, {
    ...steps,
    cut: (instance, goOn) => goOn(canCut(object, instance, context) ? instance : null),
  });
}

/** @throws DomainError NotFound, also for an excluded or cancelled instance */
function existing(object: CalendarObject, instanceDate: string): DavInstance {
  const instance = findInstance(object, instanceDate);
  if (instance === null || instance.isCancelled) throw new DomainError('NotFound', 'The event has no such instance');
  return instance;
}

/** An input without changes keeps every byte, time stamps included. */
function written(
  bytes: Uint8Array,
  object: CalendarObject,
  { ignoredFields, changed }: EditedResource,
  context: WriteContext,
  instanceDate: string | null,
): Updated {
  const body = changed.length === 0 ? Buffer.from(bytes) : finish(object, changed, context);
  return { body, ignoredFields, instanceDate };
}

/** Converts recurrence errors. Caller input is validated before, so an IcsValueError comes from the stored object. */
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

function emptyObject(uid: string, nowMs: number): string {
  const now = utcStamp(nowMs);
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Unified Calendar Service//CalDAV//EN',
    'CALSCALE:GREGORIAN',
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${now}`,
    `CREATED:${now}`,
    `LAST-MODIFIED:${now}`,
    'SEQUENCE:0',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
}
