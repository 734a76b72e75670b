import type { Response } from 'express';
import { contextOf } from '../http/api-context.js';
import { envelopeOf, type Failure } from './envelope.js';

export function sendFailure(response: Response, failure: Failure, requestId: string): void {
  beginFailure(response, failure);
  response.removeHeader('x-ignored-fields');
  // Text pages set their own policy and type before they fail; an error is always JSON.
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.send(JSON.stringify(envelopeOf(failure, requestId)));
}

/** What every failure has, whatever its body is. */
export function beginFailure(response: Response, { status, code, retryAfterSeconds }: Failure): void {
  contextOf(response.req).errorCode = code;
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
  response.status(status);
}
