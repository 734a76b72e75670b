import type { BoundedWindow, BusySlot, CalendarEvent, EventItem, TimeWindow } from '#domain/events';
import { DomainError } from '#domain/system';
import { RecurringSeries } from '#providers/kit/series';
import { busyOfCalendar, excludedInstances, RecurrenceError } from '#icalendar';
import { isSeries, openObject, parseObject, type CalendarObject } from './calendar-object.js';
import type { BusyContext, EventContext } from './contract.js';
import { originalStart, toCalendarEvent } from './event-mapper.js';
import { readSpan } from './event-span.js';
import { findInstance, instancesIn, overrideInstances, spanOverlaps, type DavInstance } from './instances.js';

/** Reads one calendar object resource. Returns nothing without a VEVENT. @throws IcsSyntaxError */
export class EventReader {
  uid(text: Uint8Array | string): string | null {
    return openObject(text, 'UTC')?.uid ?? null;
  }

  /**
   * Yields the master (or single event), then its overrides, with cancelled ones for callers that expand the series.
   * Yields one by one, because thousands would block the event loop.
   */
  *eachUnexpanded(text: Uint8Array | string, context: EventContext, window: TimeWindow): Iterable<CalendarEvent> {
    const object = openObject(text, context.calendarTimeZone);
    if (object === null) return;
    const master = isInWindow(object, context, window) ? this.whole(object, context) : null;
    if (master !== null) yield master;
    for (const instance of overrideInstances(object)) {
      if (spanOverlaps(instance.span, window, object.times)) yield instanceEvent(instance, object, context);
    }
  }

  /**
   * Yields instances, with cancelled ones; a single event yields itself. Never yields the series.
   * @throws DomainError ValidationFailed naming the series when it exceeds the limits or cannot be expanded
   */
  *eachExpanded(text: Uint8Array | string, context: EventContext, window: BoundedWindow): Iterable<CalendarEvent> {
    const object = openObject(text, context.calendarTimeZone);
    if (object === null) return;
    let instances: Iterable<DavInstance>;
    try {
      instances = instancesIn(object, window);
    } catch (error) {
      if (!(error instanceof RecurrenceError)) throw error;
      context.onUnexpandable?.(error.message);
      const { eventId } = context;
      if (error.reason === 'too-large') {
        throw invalidSeries(
          'endDateTime',
          `range too large: the series ${eventId} has too many instances in it`,
          error,
        );
      }
      const shown = [...this.eachUnexpanded(text, context, window)];
      if (shown.some(({ isRecurring, isCancelled }) => isRecurring && !isCancelled)) {
        const message = `the recurrence of the series ${eventId} cannot be expanded: ${error.message}`;
        throw invalidSeries('expandRecurrences', message, error);
      }
      yield* shown;
      return;
    }
    for (const instance of instances) yield instanceEvent(instance, object, context);
  }

  cancelledInstances(text: Uint8Array | string, context: EventContext, window: TimeWindow): EventItem[] {
    const object = openObject(text, context.calendarTimeZone);
    if (object === null) return [];
    const { times } = object;
    const cancelled = readable(context, () => excludedInstances(object, times.zones, window, times.options)) ?? [];
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
    const found = readable(context, () => findInstance(object, instanceDate));
    // Lists show the changed instances of a series whose rule is unusable.
    const isMeant = (instance: DavInstance) => instance.instanceDate === instanceDate;
    const instance = found === undefined ? overrideInstances(object).find(isMeant) : found;
    return instance == null || instance.isCancelled ? null : instanceEvent(instance, object, context);
  }

  master(text: Uint8Array | string, context: EventContext): CalendarEvent | null {
    const object = openObject(text, context.calendarTimeZone);
    return object === null ? null : this.whole(object, context);
  }

  /** Whether an earlier version of a series has been ended at one of its instances. @throws RecurrenceError */
  isEndOf(before: Uint8Array, instanceDate: string, text: Uint8Array, calendarTimeZone: string): boolean {
    const [earlier, object] = [before, text].map((each) => openObject(each, calendarTimeZone));
    const instance = earlier && findInstance(earlier, instanceDate);
    if (earlier == null || object == null || instance == null) return false;
    const [ended, whole] = [object, earlier].map((each) => new RecurringSeries(each, each.times));
    return ended!.isEndOf(whole!, instance.recurrenceId);
  }

  busy(text: Uint8Array | string, { window, floatingTimeZone, ownAddresses, ...details }: BusyContext): BusySlot[] {
    const onUnreadable = (_: unknown, { reason, message }: RecurrenceError) =>
      reason === 'too-large' ? details.onUnexpandable?.(message) : details.onUnreadable?.(message);
    return parseObject(text).calendars.flatMap((calendar) =>
      busyOfCalendar(calendar, window, { floatingTimeZone, ownAddresses, onUnreadable, isOneObject: true }),
    );
  }

  private whole(object: CalendarObject, context: EventContext): CalendarEvent | null {
    if (object.master === null) return null;
    const span = readSpan(object.master, object.times);
    if (span === null) {
      context.onUnexpandable?.('the event has no readable DTSTART');
      return null;
    }
    return toCalendarEvent(object.master, span, null, object, context);
  }
}

function instanceEvent(instance: DavInstance, object: CalendarObject, context: EventContext): CalendarEvent {
  const isWhole = instance.component === object.master && !isSeries(object.master);
  return toCalendarEvent(instance.component, instance.span, isWhole ? null : instance, object, context);
}

/** A series that cannot be expanded matches every window, because a surplus event is better than a missing one. */
function isInWindow(object: CalendarObject, context: EventContext, window: TimeWindow): boolean {
  if (object.master === null) return false;
  if (window.startMs === null && window.endMs === null) return true;
  return readable(context, () => new RecurringSeries(object, object.times).occursIn(window)) ?? true;
}

/** Returns undefined for an unusable recurrence, and reports it. */
function readable<T>(context: EventContext, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RecurrenceError)) throw error;
    context.onUnexpandable?.(error.message);
    return undefined;
  }
}

function invalidSeries(path: string, message: string, cause: RecurrenceError): DomainError {
  return new DomainError('ValidationFailed', message, { details: [{ path, message }], cause });
}
