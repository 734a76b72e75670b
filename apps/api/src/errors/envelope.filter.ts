import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { currentContext } from '#platform';
import { classifyError } from './classify-error.js';
import type { Failure } from './envelope.js';
import { sendFailure } from './send-failure.js';

/** Every error of every layer ends here and leaves in one shape. */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  private readonly logger = new Logger(EnvelopeFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    const answer = classifyError(error);
    if (answer.isFault) this.logger.error({ err: error, code: answer.code }, 'request failed');
    // The deadline has answered already; this is the work noticing it.
    if (response.headersSent) return;
    this.send(http.getRequest<Request>(), response, answer, currentContext()?.requestId ?? '');
  }

  protected send(_request: Request, response: Response, failure: Failure, requestId: string): void {
    sendFailure(response, failure, requestId);
  }
}
