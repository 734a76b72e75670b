import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { contextOf } from './api-context.js';
import { RequestDeadline } from './request-deadline.js';

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
