import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError, invalid, type ApplicationRef, type ApiKeyScope } from '#domain';
import { PUBLIC_ROUTE } from '#platform';
import { failureOf, sendFailure } from '../errors/envelope.js';
import { contextOf, type ApiContext, type Caller } from './api-context.js';
import { digest, idempotencyKeyOf } from '../idempotency/idempotency.interceptor.js';

/** Name of the Express setting that holds the time for one request, milliseconds. */
export const REQUEST_TIMEOUT_SETTING = 'request timeout ms';

/** `AbortSignal` of the request's deadline. Only handlers that call a provider ask for it. */
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

/** Time between asking the work to stop and answering without it. */
const GRACE_MS = 1_500;

/**
 * The time a request has. `signal` aborts when it is over, and for reads also when the caller has gone away (a write
 * goes on: half of it may be done). Whoever ignores the signal is answered for: the caller always gets an answer.
 */
export class RequestDeadline {
  readonly signal: AbortSignal;

  constructor(request: Request, response: Response, context: ApiContext, timeoutMs: number) {
    const controller = new AbortController();
    this.signal = controller.signal;
    let answerTimer: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => {
      const timeout = new DomainError('ProviderTimeout', 'The provider did not answer in time.');
      controller.abort(timeout);
      answerTimer = setTimeout(() => {
        if (!response.headersSent) sendFailure(response, failureOf(timeout), context.requestId);
      }, GRACE_MS);
    }, timeoutMs);
    response.once('close', () => {
      clearTimeout(timer);
      clearTimeout(answerTimer);
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (isRead && !response.writableFinished) {
        controller.abort(new DomainError('ProviderTimeout', 'The caller did not wait for the answer.'));
      }
    });
  }
}

const MAX_LENGTH = 1_024;

/** The version tag of `If-Match` as sent. `*` asks for any version (RFC 9110 §13.1.1), which is what absence means. */
export const IfMatch = createParamDecorator((_: unknown, execution: ExecutionContext): string | undefined => {
  const header = execution.switchToHttp().getRequest<Request>().headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined;
  if (header === '' || header.length > MAX_LENGTH) throw invalid('If-Match', 'must be the etag of the event');
  return header;
});

/**
 * A key that is the same for every repetition of a request and differs between applications and paths: writes derive
 * their identity at the provider from it. undefined when the caller sent no `Idempotency-Key`.
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

/** The application whose key the request carries. */
export const CurrentApplication = createParamDecorator((_: unknown, execution: ExecutionContext): ApplicationRef => ({
  applicationId: callerOf(execution).applicationId,
}));

/** Who acts, as the audit log names them. */
export const CurrentActor = createParamDecorator(
  (_: unknown, execution: ExecutionContext): { actor: string; requestId: string } => ({
    actor: `api-key:${callerOf(execution).keyId}`,
    requestId: contextOf(execution.switchToHttp().getRequest<Request>()).requestId,
  }),
);

/** A route that needs no application key. */
export const PublicRoute = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC_ROUTE, true);

export const REQUIRED_SCOPE = 'required-scope';

/** The key scope a route needs, where the method does not tell (GET: `read`, others: `write`). */
export const RequiredScope = (scope: ApiKeyScope): MethodDecorator => SetMetadata(REQUIRED_SCOPE, scope);
