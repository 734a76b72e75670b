import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** Fields of every log line of a request or job, filled in as they become known. */
export interface RequestContext {
  requestId: string;
  /** W3C trace context: the trace of the request, from the caller or new. */
  traceId?: string;
  applicationId?: string;
  accountId?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

export function runInContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** undefined outside a request. */
export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

/** Printable ASCII of at most 128 characters: safe in headers and log lines. */
const SANE = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && SANE.test(header) ? header : randomUUID();
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** The trace id of a `traceparent` header (W3C Trace Context §3.2); undefined when absent or invalid. */
export function traceIdFrom(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header.startsWith('ff')) return undefined;
  const traceId = TRACEPARENT.exec(header)?.[1];
  return traceId === undefined || /^0+$/.test(traceId) ? undefined : traceId;
}
