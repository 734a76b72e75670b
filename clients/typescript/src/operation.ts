import type { CalendarEvent, ChangedEvents } from './events.js';
import type { Operations } from './generated/operations.gen.js';

export type OperationId = keyof Operations;

type Data<Id extends OperationId> = Operations[Id]['data'];
type Given<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;
/** Applications may compile with `exactOptionalPropertyTypes`: what may be left out may be undefined, too. */
type OrUndefined<T> = { [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K] };
type Headers<Id extends OperationId> = keyof NonNullable<Data<Id>['headers']>;

/** What an operation is asked with besides its body: ids of the path and parameters of the query, side by side. */
export type Params<Id extends OperationId> = Given<Data<Id>['path']> & OrUndefined<Given<Data<Id>['query']>>;
export type Body<Id extends OperationId> = NonNullable<Data<Id>['body']>;
/** The document has one type for events that exist and events that are removed; what answers which is known here. */
export type Answer<Id extends OperationId> = Id extends 'getEvent' | 'createEvent' | 'updateEvent'
  ? CalendarEvent
  : Id extends 'listEvents' | 'listEventOccurrences'
    ? ChangedEvents
    : Operations[Id]['response'];

/** How one request is made. */
export interface RequestOptions {
  /** Ends the request, its repetitions and the pauses between them. */
  signal?: AbortSignal | undefined;
  /** Milliseconds that one try may take, instead of the client's. */
  timeoutMs?: number | undefined;
  /** An id of your own, printable ASCII: it is in the logs of the service, and in `requestId` of errors. */
  requestId?: string | undefined;
  /** Sees every answer before it is read, e.g. for the header `x-ignored-fields`. */
  onResponse?: ((response: Pick<Response, 'status' | 'headers'>) => void) | undefined;
}

export interface IdempotencyOptions {
  /** Asking again with the same key within 24 hours answers what the first request answered. Printable ASCII. */
  idempotencyKey?: string | undefined;
}

export interface VersionOptions {
  /** `etag` of the event as you know it: if it has changed since, nothing is done (412, `PreconditionFailed`). */
  ifMatch?: string | undefined;
}

export type Options<Id extends OperationId> = RequestOptions &
  ('Idempotency-Key' extends Headers<Id> ? IdempotencyOptions : unknown) &
  ('If-Match' extends Headers<Id> ? VersionOptions : unknown);

/** Asks the service. @throws UnifiedCalendarError, UnifiedCalendarNetworkError, the reason of an aborted signal */
export type Call = <Id extends OperationId>(
  id: Id,
  request: { params?: Params<Id>; body?: Body<Id> },
  options?: Options<Id>,
) => Promise<Answer<Id>>;
