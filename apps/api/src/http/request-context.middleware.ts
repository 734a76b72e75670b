import type { Attributes } from '@opentelemetry/api';
import type { RequestHandler } from 'express';
import { requestIdFrom, runInContext, traceIdFrom, type ServiceState } from '#platform';
import { counter, runInSpan } from '#platform/telemetry';
import { classifyError } from '../errors/classify-error.js';
import { sendFailure } from '../errors/send-failure.js';
import { ApiContext, attachContext, contextOf } from './api-context.js';
import type { RequestMeter } from './request-meter.js';
import { openRequestSpan } from './request-span.js';

const shed = counter('calendar_requests_shed_total');

/** First in line: gives the request its id, its context, its span and its measure. */
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

/** Refuses requests of a process that is about to end. */
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
