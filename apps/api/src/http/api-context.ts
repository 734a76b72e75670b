import type { Request } from 'express';
import type { ProvenSession } from '#application';
import type { ApiKeyScope, ErrorCode } from '#domain';
import { currentContext, type RequestContext } from '#platform';
import type { RequestDeadline } from './request.decorators.js';

/** The application key that a request has proven. */
export interface Caller {
  applicationId: string;
  keyId: string;
  scopes: ApiKeyScope[];
}

/** What is known of one request. The logger takes the fields of {@link RequestContext} from it and nothing else. */
export class ApiContext implements RequestContext {
  traceId?: string;
  applicationId?: string;
  accountId?: string;
  caller?: Caller;
  /** The session that the guard of the operators' routes has proven. */
  operatorSession?: ProvenSession;
  /** Body as it came, for the fingerprint of an Idempotency-Key. */
  rawBody?: Buffer;
  deadline?: RequestDeadline;
  /** Of the failure that was answered. */
  errorCode?: ErrorCode;
  readonly ignoredFields = new Set<string>();
  /** By the monotonic clock. */
  readonly startedMs = performance.now();

  constructor(readonly requestId: string) {}
}

const CONTEXT = Symbol('ApiContext');

type WithContext = Request & { [CONTEXT]?: ApiContext };

export function attachContext(request: Request, context: ApiContext): void {
  (request as WithContext)[CONTEXT] = context;
}

export function contextOf(request: Request): ApiContext {
  const context = (request as WithContext)[CONTEXT];
  if (context === undefined) throw new Error('the request context middleware did not run');
  return context;
}

/** Notes fields that were not applied; they are named in the header `x-ignored-fields` of the answer. */
export function noteIgnoredFields(fields: Iterable<string>): void {
  const context = currentContext();
  if (!(context instanceof ApiContext)) throw new Error('fields can be noted inside of a request only');
  for (const field of fields) context.ignoredFields.add(field);
}

/** What a handler answers when the provider could not hold everything: the result, with the rest noted. */
export function withIgnoredFields<T>({ result, ignoredFields }: { result: T; ignoredFields: string[] }): T {
  noteIgnoredFields(ignoredFields);
  return result;
}
