import type { Answer, CallOptions, Service } from './service.js';

/** The calls that tests of events are made of, on one account. */
export interface EventCalls {
  /** A call below `/v1/events/<account>/<calendar>`; `path` begins with a slash. */
  events<T = any>(method: string, calendarId: string, path?: string, options?: CallOptions): Promise<Answer<T>>;
  /** Creates an event, or fails the test. */
  create(calendarId: string, event: object): Promise<any>;
  /** Changes an event, or fails the test. */
  change(calendarId: string, eventId: string, change: object, query?: CallOptions['query']): Promise<any>;
  /** Reads a list to its end. */
  list(
    calendarId: string,
    query?: CallOptions['query'],
    path?: string,
  ): Promise<{ items: any[]; nextSyncToken: string }>;
  /** Another calendar of the account, in Berlin. */
  newCalendar(name?: string): Promise<string>;
}

export function eventCalls({ call }: Pick<Service, 'call'>, accountId: string): EventCalls {
  const events: EventCalls['events'] = (method, calendarId, path = '', options = {}) =>
    call(method, `/v1/events/${accountId}/${encodeURIComponent(calendarId)}${path}`, options);
  return {
    events,
    create: async (calendarId, event) => bodyOf(await events('POST', calendarId, '', { body: event })),
    change: async (calendarId, eventId, change, query = {}) =>
      bodyOf(await events('PUT', calendarId, `/${encodeURIComponent(eventId)}`, { body: change, query })),
    async list(calendarId, query = {}, path = '') {
      const items: any[] = [];
      for (let pageToken: string | undefined; ;) {
        const body = bodyOf(await events('GET', calendarId, path, { query: { ...query, pageToken } }));
        items.push(...body.data);
        if (body.nextPageToken == null) return { items, nextSyncToken: body.nextSyncToken };
        pageToken = body.nextPageToken;
      }
    },
    newCalendar: async (name = 'Reviewed') =>
      bodyOf(await call('POST', `/v1/calendars/${accountId}`, { body: { name, timeZone: 'Europe/Berlin' } })).id,
  };
}

function bodyOf({ status, body }: Answer): any {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}
