import { context, propagation, SpanKind, SpanStatusCode, type Attributes } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AlwaysOnSampler,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { traceWith } from '../src/telemetry/tracing.js';

export interface RecordedSpan {
  name: string;
  kind: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Attributes;
  links: string[];
  isFailed: boolean;
}

/** Spans of this process are recorded, in the order in which they end, until it is stopped. */
export function recordSpans(sampler: Sampler = new AlwaysOnSampler()) {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  traceWith(provider.getTracer('test'));
  return {
    spans: (): RecordedSpan[] =>
      exporter.getFinishedSpans().map((span) => ({
        name: span.name,
        kind: SpanKind[span.kind],
        ...{ traceId: span.spanContext().traceId, spanId: span.spanContext().spanId },
        parentSpanId: span.parentSpanContext?.spanId,
        attributes: span.attributes,
        links: span.links.map((link) => link.context.spanId),
        isFailed: span.status.code === SpanStatusCode.ERROR,
      })),
    stop() {
      traceWith(null);
      context.disable();
      propagation.disable();
    },
  };
}
