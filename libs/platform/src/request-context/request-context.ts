import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** What every log line of one request (or job) carries. Filled in as it becomes known. */
export interface RequestContext {
  requestId: string;
  /** W3C trace context: the trace that the request is part of, the caller's or our own. */
  traceId?: string;
  applicationId?: string;
  accountId?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `work`, and whatever it starts, inside of a context. */
export function runInContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** undefined outside of a request. */
export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

/** Printable ASCII, at most 128 characters: safe to send back in a header and to write into a log line. */
const SANE = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

/** The caller's request id when it is sane, a new one when not. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && SANE.test(header) ? header : randomUUID();
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** The trace id of a `traceparent` header (W3C Trace Context §3.2); undefined when there is none or it is invalid. */
export function traceIdFrom(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header.startsWith('ff')) return undefined;
  const traceId = TRACEPARENT.exec(header)?.[1];
  return traceId === undefined || /^0+$/.test(traceId) ? undefined : traceId;
}
