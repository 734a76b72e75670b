import type { Request, Response } from 'express';
import type { RequestContext, RequestLog } from '#platform';

/** Anything a probe asks every few seconds would drown the rest. */
const PROBES = '/health/';

/** What nginx logs when the caller left before the answer. */
const CLIENT_CLOSED_REQUEST = 499;

/** One line for each request, without its query string: filters hold names, tokens open pages. */
export class AccessLog {
  constructor(private readonly log: RequestLog) {}

  watch(request: Request, response: Response, context: RequestContext): void {
    if (!this.log.isOn || request.url.startsWith(PROBES)) return;
    const startedAt = performance.now();
    const { method, url } = request;
    response.once('close', () => {
      const end = url.indexOf('?');
      this.log.write(
        context,
        {
          method,
          path: end === -1 ? url : url.slice(0, end),
          status: response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST,
          durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
        },
        response.writableFinished ? 'request' : 'request aborted by the caller',
      );
    });
  }
}
