import { AsyncLocalStorage } from 'node:async_hooks';

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
