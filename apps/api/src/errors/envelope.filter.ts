import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { currentContext } from '#platform';
import { classifyError } from './classify-error.js';
import { sendFailure } from './send-failure.js';

/** Every error of every layer ends here and leaves in one shape. */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  private readonly logger = new Logger(EnvelopeFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const answer = classifyError(error);
    if (answer.isFault) this.logger.error({ err: error, code: answer.code }, 'request failed');
    // The deadline has answered already; this is the work noticing it.
    if (response.headersSent) return;
    sendFailure(response, answer, currentContext()?.requestId ?? '');
  }
}
