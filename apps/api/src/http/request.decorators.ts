import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ApplicationRef, ApiKeyScope } from '#domain/applications';
import { DomainError, invalid } from '#domain/system';
import { PUBLIC_ROUTE } from '#platform';
import { failureOf, sendFailure } from '../errors/envelope.js';
import { contextOf, type ApiContext, type Caller } from './api-context.js';
import { digest, idempotencyKeyOf } from '../idempotency/idempotency.interceptor.js';

/** Milliseconds. */
export const REQUEST_TIMEOUT_SETTING = 'request timeout ms';

export const RequestSignal = createParamDecorator((_: unknown, execution: ExecutionContext): AbortSignal => {
  const http = execution.switchToHttp();
  const request = http.getRequest<Request>();
  const context = contextOf(request);
  context.deadline ??= new RequestDeadline(
    request,
    http.getResponse<Response>(),
    context,
    request.app.get(REQUEST_TIMEOUT_SETTING) as number,
  );
  return context.deadline.signal;
});

/** Time between the abort and a response without the handler. */
const GRACE_MS = 1_500;

/**
 * `signal` aborts at the limit and, for reads, when the caller disconnects; a write may be half done and continues. A
 * handler that ignores the signal gets a response sent in its place.
 */
export class RequestDeadline {
  readonly signal: AbortSignal;

  constructor(request: Request, response: Response, context: ApiContext, timeoutMs: number) {
    const controller = new AbortController();
    this.signal = controller.signal;
    let responseTimer: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => {
      const timeout = new DomainError('ProviderTimeout', 'The provider did not answer in time.');
      controller.abort(timeout);
      responseTimer = setTimeout(() => {
        if (!response.headersSent) sendFailure(response, failureOf(timeout), context.requestId);
      }, GRACE_MS);
    }, timeoutMs);
    response.once('close', () => {
      clearTimeout(timer);
      clearTimeout(responseTimer);
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (isRead && !response.writableFinished) {
        controller.abort(new DomainError('ProviderTimeout', 'The caller did not wait for the answer.'));
      }
    });
  }
}

const MAX_LENGTH = 1_024;

/** Injects the etag of `If-Match`. Treats `*` like an absent header: both accept any version (RFC 9110 §13.1.1). */
export const IfMatch = createParamDecorator((_: unknown, execution: ExecutionContext): string | undefined => {
  const header = execution.switchToHttp().getRequest<Request>().headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined;
  if (header === '' || header.length > MAX_LENGTH) throw invalid('If-Match', 'must be the etag of the event');
  return header;
});

/**
 * Injects a key that is equal for all repetitions of a request and unique per application and path. Providers receive
 * identifiers derived from it.
 */
export const IdempotencyKey = createParamDecorator((_: unknown, execution: ExecutionContext): string | undefined => {
  const request = execution.switchToHttp().getRequest<Request>();
  const key = idempotencyKeyOf(request);
  const { caller } = contextOf(request);
  if (key === undefined || caller === undefined) return undefined;
  return digest(caller.applicationId, key, request.path);
});

function callerOf(execution: ExecutionContext): Caller {
  const { caller } = contextOf(execution.switchToHttp().getRequest<Request>());
  if (caller === undefined) throw new Error('a handler that needs the application is on a public route');
  return caller;
}

export const CurrentApplication = createParamDecorator((_: unknown, execution: ExecutionContext): ApplicationRef => ({
  applicationId: callerOf(execution).applicationId,
}));

export const CurrentActor = createParamDecorator(
  (_: unknown, execution: ExecutionContext): { actor: string; requestId: string } => ({
    actor: `api-key:${callerOf(execution).keyId}`,
    requestId: contextOf(execution.switchToHttp().getRequest<Request>()).requestId,
  }),
);

export const PublicRoute = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC_ROUTE, true);

export const REQUIRED_SCOPE = 'required-scope';

/** Overrides the key scope of a route. Default: `read` for GET, `write` for other methods. */
export const RequiredScope = (scope: ApiKeyScope): MethodDecorator => SetMetadata(REQUIRED_SCOPE, scope);
