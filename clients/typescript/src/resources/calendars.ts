import type { Calendar, CalendarPage, DeletedCalendar, Success } from '../generated/types.gen.js';
import type { Body, Call, Options, Params } from '../operation.js';
import { itemsOf, pagesOf } from '../pages.js';
import { Sync, type SyncOptions } from '../sync.js';

type List = Params<'listCalendars'>;
type ListOptions = Options<'listCalendars'>;

/** The calendars of an account. */
export class Calendars {
  constructor(private readonly call: Call) {}

  /** One page; with a `syncToken` of what changed since. */
  list(params: List, options?: ListOptions): Promise<CalendarPage> {
    return this.call('listCalendars', { params }, options);
  }

  pages(
    params: Omit<List, 'pageToken' | 'syncToken'>,
    options?: ListOptions,
  ): AsyncGenerator<CalendarPage & { data: Calendar[] }, void, undefined> {
    // Calendars that are gone are named in answers to a sync token alone.
    const read = (pageToken?: string) => this.list({ ...params, pageToken }, options);
    return pagesOf(read as (pageToken?: string) => Promise<CalendarPage & { data: Calendar[] }>);
  }

  listAll(
    params: Omit<List, 'pageToken' | 'syncToken'>,
    options?: ListOptions,
  ): AsyncGenerator<Calendar, void, undefined> {
    return itemsOf(this.pages(params, options));
  }

  /** Everything, or what changed since `syncToken`; then its `nextSyncToken`. */
  sync(
    { syncToken, ...params }: Omit<List, 'pageToken'>,
    options?: ListOptions & SyncOptions,
  ): Sync<Calendar | DeletedCalendar> {
    return new Sync((tokens) => this.list({ ...params, ...tokens }, options), syncToken, options);
  }

  get(params: Params<'getCalendar'>, options?: Options<'getCalendar'>): Promise<Calendar> {
    return this.call('getCalendar', { params }, options);
  }

  create(
    params: Params<'createCalendar'>,
    body: Body<'createCalendar'>,
    options?: Options<'createCalendar'>,
  ): Promise<Calendar> {
    return this.call('createCalendar', { params, body }, options);
  }

  /** Changes the fields that are given. */
  update(
    params: Params<'updateCalendar'>,
    body: Body<'updateCalendar'>,
    options?: Options<'updateCalendar'>,
  ): Promise<Calendar> {
    return this.call('updateCalendar', { params, body }, options);
  }

  delete(params: Params<'deleteCalendar'>, options?: Options<'deleteCalendar'>): Promise<Success> {
    return this.call('deleteCalendar', { params }, options);
  }
}
