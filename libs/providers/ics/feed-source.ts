import type { BoundedWindow, BusySlot, CalendarEvent } from '#domain/events';
import type { EventQuery } from '#domain/providers';
import { DomainError } from '#domain/system';
import { Pace } from '#platform/event-loop';
import { IcsSyntaxError, RecurrenceError } from '#icalendar';
import { EventReader, isShown, type EventContext } from '#providers/caldav';
import type { UnreadableObjects } from '#providers/kit/definition';
import { overlaps } from '#providers/kit/events';
import { OBJECT_ID_LENGTH, type FeedObject } from './feed.js';
import type { OpenFeed } from './feed-client.js';

const reader = new EventReader();

export interface ReadObject {
  /** In bytewise order of ids, including events that the read does not show. */
  events: CalendarEvent[];
  text: { length: number };
}

/** Reads the objects of one download as events. Reports unreadable ones and leaves them out. */
export class FeedSource {
  private readonly pace = new Pace();
  private readonly reported = new Set<string>();

  /** @param isOneSeries whether the read is of one object, so that unreadable events are errors */
  constructor(
    private readonly open: OpenFeed,
    private readonly unreadable: UnreadableObjects,
    private readonly isOneSeries = false,
  ) {}

  get timeZone(): string {
    return this.open.calendar.timeZone;
  }

  /**
   * @returns null for an unreadable object, which throws when one series was requested
   * @throws DomainError ValidationFailed for a series with too many instances
   */
  async read(object: FeedObject, { window, expandRecurrences }: EventQuery): Promise<ReadObject | null> {
    await this.pace.step();
    const text = this.open.feed.textOf(object);
    const context = this.context(object);
    const isExpanded = expandRecurrences && window.startMs !== null && window.endMs !== null;
    const events: CalendarEvent[] = [];
    try {
      const all = isExpanded
        ? reader.eachExpanded(text, context, window as BoundedWindow)
        : reader.eachUnexpanded(text, context, window);
      for (const event of all) {
        await this.pace.step();
        events.push(event);
      }
    } catch (error) {
      if (isUnexpandable(error) && !this.isOneSeries) return null;
      if (!(error instanceof IcsSyntaxError)) throw error;
      if (this.isOneSeries) throw unreadable(object.id, error);
      this.report(object.id, error.message);
      return null;
    }
    return { events: events.sort((one, other) => (one.id < other.id ? -1 : 1)), text };
  }

  /** Event, series or instance of an id; null when it does not exist or take place. @throws DomainError */
  one(object: FeedObject, instanceDate: string | null): CalendarEvent | null {
    const text = this.open.feed.textOf(object);
    const context = this.context(object);
    try {
      const event = instanceDate === null ? reader.master(text, context) : reader.instance(text, context, instanceDate);
      return event === null || event.isCancelled ? null : event;
    } catch (error) {
      throw error instanceof IcsSyntaxError ? unreadable(object.id, error) : error;
    }
  }

  /** Returns the instance at its regular place, when the read shows it there after an exception was removed. */
  plainInstance(object: FeedObject, id: string, query: EventQuery): CalendarEvent | null {
    if (query.expandRecurrences || id === object.id) return null;
    const instance = this.one(object, id.slice(OBJECT_ID_LENGTH + 1));
    // One of the same day has another id once the series has times.
    if (instance?.id !== id || !isShown(instance, query)) return null;
    return overlaps(instance, query.window, this.timeZone) ? instance : null;
  }

  /** Not merged, not clipped. @throws DomainError ProviderUnavailable: an unreadable event may block any time */
  async busy(object: FeedObject, window: BoundedWindow): Promise<BusySlot[]> {
    await this.pace.step();
    const onUnreadable = (reason: string, cause?: Error): never => {
      this.report(object.id, reason);
      throw unreadable(object.id, cause);
    };
    try {
      return reader.busy(this.open.feed.textOf(object), {
        window,
        floatingTimeZone: this.timeZone,
        ownAddresses: [],
        onUnexpandable: (reason) => this.report(object.id, reason),
        onUnreadable,
      });
    } catch (error) {
      if (error instanceof IcsSyntaxError) return onUnreadable(error.message, error);
      throw error;
    }
  }

  private context({ id, version }: FeedObject): EventContext {
    return {
      eventId: id,
      etag: version,
      calendarTimeZone: this.timeZone,
      ownAddresses: [],
      privateProperties: new Map(),
      onUnexpandable: (reason) => this.report(id, reason),
    };
  }

  private report(id: string, reason: string): void {
    if (this.reported.has(id)) return;
    this.reported.add(id);
    const { accountId, calendarId } = this.open.scope;
    this.unreadable.report({ accountId, calendarId, href: id, reason });
  }
}

/** An invalid rule never fails a list; one with too many instances does (docs/guides/limits.md). */
function isUnexpandable(error: unknown): boolean {
  return error instanceof DomainError && error.cause instanceof RecurrenceError && error.cause.reason !== 'too-large';
}

function unreadable(eventId: string, cause?: Error): DomainError {
  const message = `The event ${eventId} of the calendar feed cannot be read.`;
  return new DomainError('ProviderUnavailable', message, {
    provider: { status: null, code: 'object-unreadable', message, retryable: false },
    ...(cause !== undefined && { cause }),
  });
}
