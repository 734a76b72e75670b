import { Catch } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Failure } from '../errors/envelope.js';
import { EnvelopeFilter } from '../errors/envelope.filter.js';
import { beginFailure, sendFailure } from '../errors/send-failure.js';
import { FAILURE_PAGE_POLICY, failurePage } from './failure-page.js';

/** Whoever asks for a page gets the error as one, everybody else the envelope. */
@Catch()
export class BrowserFailureFilter extends EnvelopeFilter {
  protected override send(request: Request, response: Response, failure: Failure, requestId: string): void {
    response.vary('accept');
    if (request.accepts(['json', 'html']) !== 'html') return sendFailure(response, failure, requestId);
    beginFailure(response, failure);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.setHeader('content-security-policy', FAILURE_PAGE_POLICY);
    response.send(failurePage(failure, requestId));
  }
}
