import { Catch, Logger, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { currentContext } from '#platform';
import { classifyError } from './classify-error.js';
import { type Failure, sendFailure } from './envelope.js';
import { unknownRoute } from './unknown-route.js';

@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  private readonly logger = new Logger(EnvelopeFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    // Only the router throws this exception.
    const answer = error instanceof NotFoundException ? unknownRoute(request, response) : classifyError(error);
    if (answer.isFault) this.logger.error({ err: error, code: answer.code }, 'request failed');
    // The deadline has already sent a response.
    if (response.headersSent) return;
    this.send(request, response, answer, currentContext()?.requestId ?? '');
  }

  protected send(_request: Request, response: Response, failure: Failure, requestId: string): void {
    sendFailure(response, failure, requestId);
  }
}
