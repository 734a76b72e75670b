import { Catch, Logger, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { currentContext } from '#platform';
import { routesOf } from '../http/routes.js';
import { classifyError } from './classify-error.js';
import { failure, type Failure, sendFailure } from './envelope.js';

@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  private readonly logger = new Logger(EnvelopeFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    // Only the router throws this exception.
    const failed = error instanceof NotFoundException ? unknownRoute(request, response) : classifyError(error);
    if (failed.isServerFailure) this.logger.error({ err: error, code: failed.code }, 'request failed');
    // The deadline has already sent a response.
    if (response.headersSent) return;
    this.send(request, response, failed, currentContext()?.requestId ?? '');
  }

  protected send(_request: Request, response: Response, failure: Failure, requestId: string): void {
    sendFailure(response, failure, requestId);
  }
}

/** 405 requires `Allow` (RFC 9110 §15.5.6). */
export function unknownRoute(request: Request, response: Response): Failure {
  const methods = methodsAt(request);
  if (methods.length === 0 || methods.includes(request.method)) {
    return failure('NotFound', 'There is nothing at this address.');
  }
  response.setHeader('allow', methods.join(', '));
  return failure('MethodNotAllowed', 'This method is not available here.');
}

function methodsAt({ app, originalUrl }: Request): string[] {
  const path = originalUrl.split('?', 1)[0] ?? '';
  const here = routesOf(app).filter(({ matches }) => matches(path));
  const methods = new Set(
    here.flatMap(({ route }) => Object.keys(route.methods)).map((method) => method.toUpperCase()),
  );
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}
