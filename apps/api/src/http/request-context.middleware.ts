import type { Attributes } from '@opentelemetry/api';
import type { RequestHandler } from 'express';
import { requestIdFrom, runInContext, traceIdFrom } from '#platform';
import { runInSpan } from '#platform/telemetry';
import { ApiContext, attachContext } from './api-context.js';
import type { RequestMeter } from './request-meter.js';
import { openRequestSpan } from './request-span.js';

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
