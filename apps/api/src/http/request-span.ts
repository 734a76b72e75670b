import { METHODS } from 'node:http';
import type { Attributes, Span } from '@opentelemetry/api';
import type { Request, Response } from 'express';
import { isUuid } from '#domain/system';
import { isTracingEnabled, markFailed, openServerSpan } from '#platform/telemetry';
import type { ApiContext } from './api-context.js';
import { fullRouteOf, NO_ROUTE } from './routes.js';

/** Excludes probes, which arrive every few seconds, and files of the dashboard. */
const TRACED = '/api/';
const FIRST_FAILURE = 500;

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

const REDACTED = 'REDACTED';
const CALLER_LEFT = 'callerLeft';

/** Derives the address from `PUBLIC_URL`: callers may write anything into `Host`. */
export function addressOf(publicUrl: string) {
  const { protocol, hostname, port } = new URL(publicUrl);
  const isSecure = protocol === 'https:';
  return {
    'url.scheme': isSecure ? ('https' as const) : ('http' as const),
    'server.address': hostname,
    'server.port': port === '' ? (isSecure ? 443 : 80) : Number(port),
  };
}

/**
 * Returns null without tracing. Records no query, no headers and only the route of the path: a calendar id may be an
 * email address.
 */
export function openRequestSpan(
  request: Request,
  response: Response,
  context: ApiContext,
  address: Attributes,
): Span | null {
  if (!isTracingEnabled() || !request.url.startsWith(TRACED)) return null;
  const method = KNOWN_METHODS.has(request.method) ? request.method : '_OTHER';
  const span = openServerSpan(method, request.headers, {
    'http.request.method': method,
    'network.protocol.version': request.httpVersion,
    ...address,
  });
  // A span that is not exported still suppresses its child spans.
  if (span === null || !span.isRecording()) return span;
  context.traceId = span.spanContext().traceId;
  response.once('close', () => end(span, method, request, response, context));
  return span;
}

function end(span: Span, method: string, request: Request, response: Response, context: ApiContext): void {
  const route = fullRouteOf(request);
  const status = response.headersSent ? response.statusCode : null;
  span.setAttribute('url.path', route === NO_ROUTE ? `${TRACED}${REDACTED}` : route.replaceAll(/:\w+/g, REDACTED));
  if (route !== NO_ROUTE) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
  if (status === null) markFailed(span, CALLER_LEFT);
  else span.setAttribute('http.response.status_code', status);
  const { caller, accountId, errorCode } = context;
  if (caller !== undefined) span.setAttribute('calendar.application.id', caller.applicationId);
  if (isUuid(accountId)) span.setAttribute('calendar.account.id', accountId);
  if (errorCode !== undefined) span.setAttribute('calendar.error.code', errorCode);
  if (status !== null && status >= FIRST_FAILURE) markFailed(span, errorCode ?? String(status));
  span.end();
}
