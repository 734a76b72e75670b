import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { contextOf } from './api-context.js';
import { routeLabel } from './routes.js';

export const PROBES = '/health/';

/** The status that nginx logs when the caller left before the response. */
const CLIENT_CLOSED_REQUEST = 499;

/** Logs routes in place of URLs, which contain email addresses, names and tokens. The logger never sees the request. */
export function accessLog(logger: Logger): RequestHandler {
  const line = (request: Request, response: Response) => lineOf(request, response);
  const message = (_request: Request, { writableFinished }: Response) =>
    writableFinished ? 'request' : 'request aborted by the caller';
  return pinoHttp<Request, Response>({
    logger,
    autoLogging: { ignore: ({ originalUrl }) => originalUrl.startsWith(PROBES) },
    genReqId: (request) => contextOf(request).requestId,
    quietResLogger: true,
    wrapSerializers: false,
    serializers: { req: () => undefined },
    customSuccessObject: line,
    customErrorObject: line,
    customSuccessMessage: message,
    customErrorMessage: message,
  });
}

export function statusOf({ headersSent, statusCode }: Pick<Response, 'headersSent' | 'statusCode'>): number {
  return headersSent ? statusCode : CLIENT_CLOSED_REQUEST;
}

function lineOf(request: Request, response: Response) {
  const { requestId, traceId, applicationId, accountId, startedMs } = contextOf(request);
  return {
    ...{ requestId, traceId, applicationId, accountId },
    method: request.method,
    route: routeLabel(request, request.originalUrl),
    status: statusOf(response),
    durationMs: Math.round((performance.now() - startedMs) * 10) / 10,
  };
}
