import type { Response } from 'express';
import { envelopeOf, type Failure } from './envelope.js';

export function sendFailure(response: Response, failure: Failure, requestId: string): void {
  if (failure.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(failure.retryAfterSeconds));
  response.removeHeader('x-ignored-fields');
  // Text pages set their own policy and type before they fail; an error is always JSON.
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.status(failure.status).send(JSON.stringify(envelopeOf(failure, requestId)));
}
