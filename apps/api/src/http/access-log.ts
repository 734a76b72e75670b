import type { Request, Response } from 'express';
import type { RequestRecorder } from '#application';
import type { RequestLog } from '#platform';
import { gauge, histogram } from '#platform/telemetry';
import type { ApiContext } from './api-context.js';
import { measuredRouteOf } from './measured-routes.js';
import { isRecorded, routeOf } from './recorded-routes.js';

const requests = histogram('http_server_request_duration_seconds');
const active = gauge('http_server_active_requests');

/** Anything a probe asks every few seconds would drown the rest. */
const PROBES = '/health/';

/** What nginx logs when the caller left before the answer. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * One line for each request, by its route alone: ids of calendars are email addresses, filters hold names, tokens open pages. One row in the request log for
 * each that operators may want to find again. And its place in what is measured.
 */
export class AccessLog {
  constructor(
    private readonly log: RequestLog,
    private readonly recorder: Pick<RequestRecorder, 'isOn' | 'record'>,
    /** Of the address under which callers reach the service. */
    private readonly scheme: 'http' | 'https',
  ) {}

  /** @param traceId of the request, when it is exported */
  watch(request: Request, response: Response, context: ApiContext, traceId?: string): void {
    const { method, url } = request;
    if (url.startsWith(PROBES)) return;
    const isLogged = this.log.isOn;
    const isKept = this.recorder.isOn && isRecorded(method, url);
    const asked = { http_request_method: method, url_scheme: this.scheme };
    active.add(1, asked);
    const startedAt = isKept ? new Date() : null;
    const startedMs = performance.now();
    response.once('close', () => {
      const durationMs = performance.now() - startedMs;
      const status = response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST;
      active.add(-1, asked);
      const answered = { http_route: measuredRouteOf(request, url), http_response_status_code: String(status) };
      requests.observe(durationMs / 1_000, { ...asked, ...answered }, traceId);
      if (isLogged) {
        this.log.write(
          context,
          { method, route: answered.http_route, status, durationMs: Math.round(durationMs * 10) / 10 },
          response.writableFinished ? 'request' : 'request aborted by the caller',
        );
      }
      if (startedAt === null) return;
      const { requestId, caller, errorCode = null, accountId = null } = context;
      this.recorder.record({
        requestId,
        startedAt,
        method,
        route: routeOf(request),
        status,
        errorCode,
        durationMs: Math.round(durationMs),
        applicationId: caller?.applicationId ?? null,
        apiKeyId: caller?.keyId ?? null,
        accountId: caller === undefined ? null : accountId,
      });
    });
  }
}
