import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { contextOf } from './api-context.js';
import { measuredRouteOf } from './routes.js';

/** Anything a probe asks every few seconds would drown the rest. */
export const PROBES = '/health/';

/** What nginx logs when the caller left before the answer. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * One line for each request, by its route alone: ids of calendars are email addresses, filters hold names, tokens open pages.
 * No request or response is given to the logger: {@link lineOf} says all that is written of them.
 */
export function accessLog(logger: Logger): RequestHandler {
  const line = (request: Request, response: Response) => lineOf(request, response);
  const message = (_request: Request, { writableFinished }: Response) =>
    writableFinished ? 'request' : 'request aborted by the caller';
  return pinoHttp<Request, Response>({
    logger,
    autoLogging: { ignore: ({ originalUrl }) => originalUrl.startsWith(PROBES) },
    // A logger for each request is not needed: its ids are part of the line.
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

/** 499 when the caller left before the answer. */
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
