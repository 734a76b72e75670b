import type { Request, Response } from 'express';
import type { RequestHistoryRecorder } from '#application/operator';
import { gauge, histogram } from '#platform/telemetry';
import { PROBES, statusOf } from './access-log.js';
import type { ApiContext } from './api-context.js';
import { isInHistory, routeLabel, routeOf } from './routes.js';

const requests = histogram('http_server_request_duration_seconds');
const active = gauge('http_server_active_requests');

export class RequestMeter {
  constructor(
    private readonly recorder: Pick<RequestHistoryRecorder, 'isOn' | 'record'>,
    private readonly scheme: 'http' | 'https',
  ) {}

  /** @param traceId set when the trace is exported */
  watch(request: Request, response: Response, context: ApiContext, traceId?: string): void {
    const { method, url } = request;
    if (url.startsWith(PROBES)) return;
    const isKept = this.recorder.isOn && isInHistory(method, url);
    const asked = { http_request_method: method, url_scheme: this.scheme };
    active.add(1, asked);
    const startedAt = isKept ? new Date() : null;
    response.once('close', () => {
      const durationMs = performance.now() - context.startedMs;
      const status = statusOf(response);
      active.add(-1, asked);
      const answered = { http_route: routeLabel(request, url), http_response_status_code: String(status) };
      requests.observe(durationMs / 1_000, { ...asked, ...answered }, traceId);
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
        traceId: traceId ?? null,
      });
    });
  }
}
