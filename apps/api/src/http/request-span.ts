import { METHODS } from 'node:http';
import type { Span } from '@opentelemetry/api';
import type { Request, Response } from 'express';
import { isTracing, markFailed, openServerSpan } from '#telemetry';
import type { ApiContext } from './api-context.js';
import { NO_ROUTE, routeOf } from './recorded-routes.js';

/** Below it is what the service does. Probes ask every few seconds, and nobody looks for the files of the dashboard. */
const TRACED = '/api/';
const FIRST_FAILURE = 500;
const CLIENT_CLOSED_REQUEST = 499;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

/**
 * The span of a request, with its caller's trace, until the answer is out; null where there is none. No path, query,
 * header or address: a calendar's id may be somebody's e-mail address.
 */
export function openRequestSpan(request: Request, response: Response, context: ApiContext): Span | null {
  if (!isTracing() || !request.url.startsWith(TRACED)) return null;
  const method = KNOWN_METHODS.has(request.method) ? request.method : '_OTHER';
  const span = openServerSpan(method, request.headers, { 'http.request.method': method });
  // One that is not exported still has to be there: what happens in it is not exported either.
  if (span === null || !span.isRecording()) return span;
  context.traceId = span.spanContext().traceId;
  response.once('close', () => end(span, method, request, response, context));
  return span;
}

function end(span: Span, method: string, request: Request, response: Response, context: ApiContext): void {
  const route = routeOf(request);
  const status = response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST;
  span.setAttribute('http.response.status_code', status);
  if (route !== NO_ROUTE) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
  const { caller, accountId, errorCode } = context;
  if (caller !== undefined) span.setAttribute('calendar.application.id', caller.applicationId);
  // What was given in its place may be anything.
  if (accountId !== undefined && UUID.test(accountId)) span.setAttribute('calendar.account.id', accountId);
  if (errorCode !== undefined) span.setAttribute('calendar.error.code', errorCode);
  if (status >= FIRST_FAILURE) markFailed(span, errorCode ?? String(status));
  span.end();
}
