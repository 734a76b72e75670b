import { METHODS } from 'node:http';
import type { Attributes, Span } from '@opentelemetry/api';
import type { Request, Response } from 'express';
import { isUuid } from '#domain';
import { isTracing, markFailed, openServerSpan } from '#platform/telemetry';
import type { ApiContext } from './api-context.js';
import { fullRouteOf, NO_ROUTE } from './routes.js';

/** Below it is what the service does. Probes ask every few seconds, and nobody looks for the files of the dashboard. */
const TRACED = '/api/';
const FIRST_FAILURE = 500;

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

/** Stands for whatever a caller wrote. */
const REDACTED = 'REDACTED';
/** Of a request whose caller did not wait for the answer. */
const CALLER_LEFT = 'callerLeft';

/** Where callers find us, by `PUBLIC_URL`: what they write into `Host` may be anything. */
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
 * The span of a request, with its caller's trace, until the answer is out; null where there is none. No query, no header
 * but the trace's, and of the path no more than the route: a calendar's id may be somebody's e-mail address.
 */
export function openRequestSpan(
  request: Request,
  response: Response,
  context: ApiContext,
  address: Attributes,
): Span | null {
  if (!isTracing() || !request.url.startsWith(TRACED)) return null;
  const method = KNOWN_METHODS.has(request.method) ? request.method : '_OTHER';
  const span = openServerSpan(method, request.headers, {
    'http.request.method': method,
    'network.protocol.version': request.httpVersion,
    ...address,
  });
  // One that is not exported still has to be there: what happens in it is not exported either.
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
  // What was given in its place may be anything.
  if (isUuid(accountId)) span.setAttribute('calendar.account.id', accountId);
  if (errorCode !== undefined) span.setAttribute('calendar.error.code', errorCode);
  if (status !== null && status >= FIRST_FAILURE) markFailed(span, errorCode ?? String(status));
  span.end();
}
