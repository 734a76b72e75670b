import type {
  CalendarSubscription,
  CalendarSubscriptionPage,
  CreatedCalendarSubscription,
  Success,
} from '../generated/types.gen.js';
import type { Body, Call, Options, Params } from '../operation.js';
import { itemsOf, pagesOf } from '../pages.js';

type List = Params<'listCalendarSubscriptions'>;
type ListOptions = Options<'listCalendarSubscriptions'>;

/** Signed messages after changes in a calendar. */
export class CalendarSubscriptions {
  constructor(private readonly call: Call) {}

  list(params: List, options?: ListOptions): Promise<CalendarSubscriptionPage> {
    return this.call('listCalendarSubscriptions', { params }, options);
  }

  pages(
    params: Omit<List, 'pageToken'>,
    options?: ListOptions,
  ): AsyncGenerator<CalendarSubscriptionPage, void, undefined> {
    return pagesOf((pageToken) => this.list({ ...params, pageToken }, options));
  }

  listAll(
    params: Omit<List, 'pageToken'>,
    options?: ListOptions,
  ): AsyncGenerator<CalendarSubscription, void, undefined> {
    return itemsOf(this.pages(params, options));
  }

  /** The answer has the secret that messages are signed with: it is shown this once. */
  create(
    params: Params<'createCalendarSubscription'>,
    body: Body<'createCalendarSubscription'>,
    options?: Options<'createCalendarSubscription'>,
  ): Promise<CreatedCalendarSubscription> {
    return this.call('createCalendarSubscription', { params, body }, options);
  }

  /** Once this is answered, nothing more is sent. */
  delete(
    params: Params<'deleteCalendarSubscription'> & { subscriptionId: string },
    options?: Options<'deleteCalendarSubscription'>,
  ): Promise<Success> {
    return this.call('deleteCalendarSubscription', { params }, options);
  }
}
