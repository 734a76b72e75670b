import type { CalendarEvent, ChangedEvents, RemovedEvent } from '../events.js';
import type { EventPage, Success } from '../generated/types.gen.js';
import type { Body, Call, Options, Params } from '../operation.js';
import { itemsOf, pagesOf } from '../pages.js';
import { applySync, type EventStore, type SyncedInto } from '../sync-into.js';
import { Sync, type SyncOptions } from '../sync.js';

type List = Params<'listEvents'>;
type ListOptions = Options<'listEvents'>;
type Occurrences = Params<'listEventOccurrences'>;
type Pages = AsyncGenerator<EventPage & { data: CalendarEvent[] }, void, undefined>;

/** The events of a calendar. */
export class Events {
  constructor(private readonly call: Call) {}

  /** One page; with a `syncToken` of what changed since. */
  list(params: List, options?: ListOptions): Promise<ChangedEvents> {
    return this.call('listEvents', { params }, options);
  }

  pages(params: Omit<List, 'pageToken' | 'syncToken'>, options?: ListOptions): Pages {
    return eventPages((pageToken) => this.list({ ...params, pageToken }, options));
  }

  listAll(
    params: Omit<List, 'pageToken' | 'syncToken'>,
    options?: ListOptions,
  ): AsyncGenerator<CalendarEvent, void, undefined> {
    return itemsOf(this.pages(params, options));
  }

  /**
   * Everything that the other parameters ask for, or what changed since `syncToken`; then its `nextSyncToken`. MICROSOFT
   * gives one for reads with `startDateTime` and `endDateTime` only.
   */
  sync(
    { syncToken, ...params }: Omit<List, 'pageToken'>,
    options?: ListOptions & SyncOptions,
  ): Sync<CalendarEvent | RemovedEvent> {
    const { endUserAccountId, calendarId, pageSize, timeZone } = params;
    const read = (tokens: { syncToken?: string; pageToken?: string }) => {
      // The token stands for the rest of what was asked for.
      const asked = tokens.syncToken === undefined ? params : { endUserAccountId, calendarId, pageSize, timeZone };
      return this.list({ ...asked, ...tokens }, options);
    };
    return new Sync(read, syncToken, options);
  }

  /**
   * Brings an application's copy of a calendar up to date: everything that the parameters ask for the first time, then
   * what has changed. A token that is too old leads to a full read, which also deletes what is gone.
   */
  async syncInto(
    store: EventStore,
    params: Omit<List, 'pageToken' | 'syncToken'>,
    options?: ListOptions,
  ): Promise<SyncedInto> {
    const syncToken = (await store.syncToken()) ?? undefined;
    return applySync(this.sync({ ...params, syncToken }, { ...options, startOver: true }), store, syncToken);
  }

  /** One page of the occurrences of a series. */
  occurrences(params: Occurrences, options?: Options<'listEventOccurrences'>): Promise<ChangedEvents> {
    return this.call('listEventOccurrences', { params }, options);
  }

  occurrencePages(
    params: Omit<Occurrences, 'pageToken' | 'syncToken'>,
    options?: Options<'listEventOccurrences'>,
  ): Pages {
    return eventPages((pageToken) => this.occurrences({ ...params, pageToken }, options));
  }

  allOccurrences(
    params: Omit<Occurrences, 'pageToken' | 'syncToken'>,
    options?: Options<'listEventOccurrences'>,
  ): AsyncGenerator<CalendarEvent, void, undefined> {
    return itemsOf(this.occurrencePages(params, options));
  }

  get(params: Params<'getEvent'>, options?: Options<'getEvent'>): Promise<CalendarEvent> {
    return this.call('getEvent', { params }, options);
  }

  /** Answers what the provider now holds. */
  create(
    params: Params<'createEvent'>,
    body: Body<'createEvent'>,
    options?: Options<'createEvent'>,
  ): Promise<CalendarEvent> {
    return this.call('createEvent', { params, body }, options);
  }

  /** Changes the fields that are given; null clears one. */
  update(
    params: Params<'updateEvent'>,
    body: Body<'updateEvent'>,
    options?: Options<'updateEvent'>,
  ): Promise<CalendarEvent> {
    return this.call('updateEvent', { params, body }, options);
  }

  delete(params: Params<'deleteEvent'>, options?: Options<'deleteEvent'>): Promise<Success> {
    return this.call('deleteEvent', { params }, options);
  }

  /** Answers an invitation. */
  rsvp(params: Params<'rsvpEvent'>, body: Body<'rsvpEvent'>, options?: Options<'rsvpEvent'>): Promise<Success> {
    return this.call('rsvpEvent', { params, body }, options);
  }
}

/** Events that are gone are named in answers to a sync token alone. */
function eventPages(read: (pageToken?: string) => Promise<ChangedEvents>): Pages {
  return pagesOf(read as (pageToken?: string) => Promise<EventPage & { data: CalendarEvent[] }>);
}
