import type { Request } from 'express';
import type { AuthenticatedSession } from '#application/operator';
import type { ApiKeyScope } from '#domain/applications';
import type { OperatorToken } from '#domain/operator';
import type { ErrorCode } from '#domain/system';
import { currentContext, type RequestContext } from '#platform';
import type { RequestDeadline } from './request.decorators.js';

export interface Caller {
  applicationId: string;
  keyId: string;
  scopes: ApiKeyScope[];
}

/** State of one request. The logger reads only the fields of {@link RequestContext}. */
export class ApiContext implements RequestContext {
  traceId?: string;
  applicationId?: string;
  accountId?: string;
  caller?: Caller;
  operatorSession?: AuthenticatedSession;
  operatorToken?: OperatorToken;
  /** The received body, for the fingerprint of an Idempotency-Key. */
  rawBody?: Buffer;
  deadline?: RequestDeadline;
  errorCode?: ErrorCode;
  readonly ignoredFields = new Set<string>();
  /** Monotonic clock. */
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

export function recordIgnoredFields(fields: Iterable<string>): void {
  const context = currentContext();
  if (!(context instanceof ApiContext)) throw new Error('fields can be noted inside of a request only');
  for (const field of fields) context.ignoredFields.add(field);
}

export function withIgnoredFields<T>({ result, ignoredFields }: { result: T; ignoredFields: string[] }): T {
  recordIgnoredFields(ignoredFields);
  return result;
}
