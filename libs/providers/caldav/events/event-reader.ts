import {
  DomainError,
  type BoundedWindow,
  type BusySlot,
  type CalendarEvent,
  type EventItem,
  type TimeWindow,
} from '#domain';
import { busyOfCalendar, IcsDocument, RecurrenceError } from '#icalendar';
import { isSeries, openObject, type CalendarObject } from './calendar-object.js';
import { type BusyContext, type EventContext, type EventReader } from './contract.js';
import { originalStart, toCalendarEvent } from './event-mapper.js';
import { readSpan } from './event-span.js';
import {
  cancelledIn,
  findInstance,
  instancesIn,
  overrideInstances,
  spanOverlaps,
  takesPlaceIn,
  type Instance,
} from './series-instances.js';

/** Reads calendar objects. See {@link EventReader}. */
export class CalendarObjectReader implements EventReader {
  uid(text: Uint8Array | string): string | null {
    return openObject(text, 'UTC')?.uid ?? null;
  }

  unexpanded(text: Uint8Array | string, context: EventContext, window: TimeWindow): CalendarEvent[] {
    const object = openObject(text, context.calendarTimeZone);
    if (object === null) return [];
    const master = isInWindow(object, context, window) ? this.whole(object, context) : null;
    const overrides = overrideInstances(object)
      .filter(({ span }) => spanOverlaps(span, window, object.clocks))
      .map((instance) => instanceEvent(instance, object, context));
    return master === null ? overrides : [master, ...overrides];
  }

  expanded(text: Uint8Array | string, context: EventContext, window: BoundedWindow): CalendarEvent[] {
    const object = openObject(text, context.calendarTimeZone);
    if (object === null) return [];
    try {
      return instancesIn(object, window).map((instance) => instanceEvent(instance, object, context));
    } catch (error) {
      if (!(error instanceof RecurrenceError)) throw error;
      if (error.reason === 'too-large') throw rangeTooLarge(error);
      context.onUnexpandable?.(error.message);
      return this.unexpanded(text, context, window);
    }
  }

  cancelledInstances(text: Uint8Array | string, context: EventContext, window: TimeWindow): EventItem[] {
    const object = openObject(text, context.calendarTimeZone);
    if (object === null) return [];
    const cancelled = readable(context, () => cancelledIn(object, window)) ?? [];
    return cancelled.map((instance) => ({
      id: `${context.eventId}_${instance.instanceDate}`,
      isCancelled: true,
      iCalUid: object.uid,
      recurringEventId: context.eventId,
      originalStart: originalStart(instance, object),
    }));
  }

  instance(text: Uint8Array | string, context: EventContext, instanceDate: string): CalendarEvent | null {
    const object = openObject(text, context.calendarTimeZone);
    if (object === null) return null;
    const instance = readable(context, () => findInstance(object, instanceDate)) ?? null;
    return instance === null || instance.isCancelled ? null : instanceEvent(instance, object, context);
  }

  master(text: Uint8Array | string, context: EventContext): CalendarEvent | null {
    const object = openObject(text, context.calendarTimeZone);
    return object === null ? null : this.whole(object, context);
  }

  busy(text: Uint8Array | string, { window, floatingTimeZone, ownAddresses, onUnexpandable }: BusyContext): BusySlot[] {
    const onUnreadable = (_: unknown, error: RecurrenceError) => onUnexpandable?.(error.message);
    return IcsDocument.parse(text).calendars.flatMap((calendar) =>
      busyOfCalendar(calendar, window, { floatingTimeZone, ownAddresses, onUnreadable }),
    );
  }

  /** The series or single event; null when there is none, or it says nowhere when it is. */
  private whole(object: CalendarObject, context: EventContext): CalendarEvent | null {
    if (object.master === null) return null;
    const span = readSpan(object.master, object.clocks);
    if (span === null) {
      context.onUnexpandable?.('the event has no readable DTSTART');
      return null;
    }
    return toCalendarEvent(object.master, span, null, object, context);
  }
}

/** A single event is no instance of anything. */
function instanceEvent(instance: Instance, object: CalendarObject, context: EventContext): CalendarEvent {
  const isWhole = instance.component === object.master && !isSeries(object.master);
  return toCalendarEvent(instance.component, instance.span, isWhole ? null : instance, object, context);
}

/** A series that cannot be expanded is in every window: better shown once too often than lost. */
function isInWindow(object: CalendarObject, context: EventContext, window: TimeWindow): boolean {
  if (object.master === null) return false;
  if (window.startMs === null && window.endMs === null) return true;
  return readable(context, () => takesPlaceIn(object, window)) ?? true;
}

/** undefined when the recurrence cannot be worked with; the caller hears of it. */
function readable<T>(context: EventContext, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    context.onUnexpandable?.(error.message);
    return undefined;
  }
}

function rangeTooLarge(cause: RecurrenceError): DomainError {
  return new DomainError('ValidationFailed', 'range too large: a series has too many instances in it', {
    details: [{ path: 'endDateTime', message: 'range too large' }],
    cause,
  });
}
