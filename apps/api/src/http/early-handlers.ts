import { Logger } from '@nestjs/common';
import type { RequestHandler } from 'express';
import type { Attributes } from '@opentelemetry/api';
import { invalid } from '#domain/system';
import { type ServiceState, requestIdFrom, runInContext, traceIdFrom } from '#platform';
import { counter, runInSpan } from '#platform/telemetry';
import { policy } from '../auth/rate-limits.js';
import { classifyError } from '../errors/classify-error.js';
import { failure, sendFailure } from '../errors/envelope.js';
import { contextOf, ApiContext, attachContext } from './api-context.js';
import type { RequestMeter } from './request-meter.js';
import { isAt } from './request-headers.js';
import { openRequestSpan } from './request-span.js';

export function requestContext(meter: RequestMeter, address: Attributes): RequestHandler {
  return (request, response, next) => {
    const context = new ApiContext(requestIdFrom(request.headers['x-request-id']));
    context.traceId = traceIdFrom(request.headers['traceparent']);
    attachContext(request, context);
    response.setHeader('x-request-id', context.requestId);
    const span = openRequestSpan(request, response, context, address);
    meter.watch(request, response, context, span?.isRecording() === true ? context.traceId : undefined);
    runInContext(context, span === null ? next : () => runInSpan(span, next));
  };
}

const shed = counter('calendar_requests_shed_total');

export function whileServing(state: ServiceState): RequestHandler {
  return (request, response, next) => {
    try {
      state.assertTakesRequests();
    } catch (error) {
      shed.add(1, { reason: 'draining' });
      return sendFailure(response, classifyError(error), contextOf(request).requestId);
    }
    next();
  };
}

/** Warns once about a proxy that is not trusted. Any caller can send the header, so the address is not logged. */
export function untrustedProxies(): RequestHandler {
  const logger = new Logger('UntrustedProxies');
  let isWarned = false;
  return (request, _response, next) => {
    if (!isWarned && request.headers['x-forwarded-for'] !== undefined) {
      isWarned = true;
      logger.warn({
        msg: 'X-Forwarded-For ignored: no trusted proxy configured',
      });
    }
    next();
  };
}

/** Responds with 404 where `Host` names another host or port than the URL. */
export function onlyAt(url: string): RequestHandler {
  return (request, response, next) => {
    if (isAt(url, request.headers.host)) return next();
    sendFailure(response, failure('NotFound', 'There is nothing at this address.'), contextOf(request).requestId);
  };
}

/** The guard replaces the default rate limit policy with that of the key. */
export function unauthenticatedRequests(rateLimitRps: number): RequestHandler {
  const defaultPolicy = policy(rateLimitRps);
  return (request, response, next) => {
    response.setHeader('ratelimit-policy', defaultPolicy);
    try {
      assertDecodableQuery(request.url);
    } catch (error) {
      return sendFailure(response, classifyError(error), contextOf(request).requestId);
    }
    next();
  };
}

/**
 * Requires UTF-8: the lenient parser would replace broken bytes and search for the replacement characters.
 * @throws DomainError ValidationFailed
 */
function assertDecodableQuery(url: string): void {
  const start = url.indexOf('?');
  if (start === -1 || url.indexOf('%', start) === -1) return;
  try {
    decodeURIComponent(url.slice(start + 1));
  } catch (error) {
    if (error instanceof URIError) throw invalid('', 'The query string is not valid.');
    throw error;
  }
}
