import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { contextOf } from './api-context.js';
import { measuredRouteOf } from './routes.js';

/** Probes arrive every few seconds and would drown other lines. */
export const PROBES = '/health/';

/** The status that nginx logs when the caller left before the response. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Logs one line per request, with its route in place of its URL: URLs contain email addresses, names and tokens. The
 * logger never sees the request or response, only the fields of {@link lineOf}.
 */
export function accessLog(logger: Logger): RequestHandler {
  const line = (request: Request, response: Response) => lineOf(request, response);
  const message = (_request: Request, { writableFinished }: Response) =>
    writableFinished ? 'request' : 'request aborted by the caller';
  return pinoHttp<Request, Response>({
    logger,
    autoLogging: { ignore: ({ originalUrl }) => originalUrl.startsWith(PROBES) },
    // Avoids a child logger per request: the line itself contains the ids.
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

/** Returns 499 when the caller left before the response. */
export function statusOf({ headersSent, statusCode }: Pick<Response, 'headersSent' | 'statusCode'>): number {
  return headersSent ? statusCode : CLIENT_CLOSED_REQUEST;
}

function lineOf(request: Request, response: Response) {
  const { requestId, traceId, applicationId, accountId, startedMs } = contextOf(request);
  return {
    ...{ requestId, traceId, applicationId, accountId },
    method: request.method,
    route: measuredRouteOf(request, request.originalUrl),
    status: statusOf(response),
    durationMs: Math.round((performance.now() - startedMs) * 10) / 10,
  };
}
