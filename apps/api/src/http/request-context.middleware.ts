import type { Attributes } from '@opentelemetry/api';
import type { NextFunction, Request, Response } from 'express';
import { requestIdFrom, runInContext, traceIdFrom, type ServiceState } from '#platform';
import { counter, runInSpan } from '#platform/telemetry';
import { classifyError } from '../errors/classify-error.js';
import { sendFailure } from '../errors/send-failure.js';
import type { AccessLog } from './access-log.js';
import { ApiContext, attachContext } from './api-context.js';
import { openRequestSpan } from './request-span.js';

const shed = counter('calendar_requests_shed_total');

/** First in line: gives the request its id, its context, its span and its line in the log. */
export function requestContext(state: ServiceState, accessLog: AccessLog, address: Attributes) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const context = new ApiContext(requestIdFrom(request.headers['x-request-id']));
    context.traceId = traceIdFrom(request.headers['traceparent']);
    attachContext(request, context);
    response.setHeader('x-request-id', context.requestId);
    const span = openRequestSpan(request, response, context, address);
    accessLog.watch(request, response, context, span?.isRecording() === true ? context.traceId : undefined);
    const goOn = () => {
      if (state.phase === 'serving' || state.phase === 'starting') return next();
      try {
        state.assertTakesRequests();
      } catch (error) {
        shed.add(1, { reason: 'draining' });
        return sendFailure(response, classifyError(error), context.requestId);
      }
      next();
    };
    runInContext(context, span === null ? goOn : () => runInSpan(span, goOn));
  };
}
