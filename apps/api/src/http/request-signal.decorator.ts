import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '#domain';
import { failureOf } from '../errors/envelope.js';
import { sendFailure } from '../errors/send-failure.js';
import { contextOf, type ApiContext } from './api-context.js';

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
