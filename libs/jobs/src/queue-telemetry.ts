import type { Context } from '@opentelemetry/api';
import type { Span, SpanOptions, Telemetry } from 'bullmq';
import { BullMQOtel } from 'bullmq-otel';
import { isTracing } from '#telemetry';

/** What is told of jobs. Not why one failed, nor what came of it: that may be anything. */
const TOLD: ReadonlySet<string> = new Set([
  'bullmq.queue.name',
  'bullmq.queue.operation',
  'bullmq.job.name',
  'bullmq.job.id',
  'bullmq.job.attempts.made',
  'bullmq.job.bulk.count',
]);

/** bullmq's `SpanKind.INTERNAL` */
const INTERNAL = 0;

/**
 * The option with which queues and workers make spans of the jobs that are added and processed, and a job goes on with
 * the trace of who added it. Nothing when nothing is traced.
 */
export function queueTelemetry(): { telemetry?: Telemetry<Context> } {
  if (!isTracing()) return {};
  const { contextManager, tracer } = new BullMQOtel({ tracerName: 'bullmq' });
  const startSpan = (name: string, options: SpanOptions, parent?: Context) =>
    // Asking for the next job, extending locks, …: some each second for every queue.
    Number(options.kind) === INTERNAL ? UNTOLD : discreet(tracer.startSpan(name, options, parent));
  return {
    telemetry: { contextManager, tracer: { startSpan: startSpan as Telemetry<Context>['tracer']['startSpan'] } },
  };
}

const UNTOLD: Span<Context> = {
  setSpanOnContext: (context) => context,
  setAttribute: () => undefined,
  setAttributes: () => undefined,
  addEvent: () => undefined,
  recordException: () => undefined,
  end: () => undefined,
};

function discreet(span: Span<Context>): Span<Context> {
  return {
    ...UNTOLD,
    setSpanOnContext: (context) => span.setSpanOnContext(context),
    setAttribute: (name, value) => {
      if (TOLD.has(name)) span.setAttribute(name, value);
    },
    setAttributes: (attributes) => span.setAttributes(told(attributes)),
    recordException: (exception) => {
      span.setAttribute('error.type', (exception as { name?: string }).name ?? 'unknown');
    },
    end: () => span.end(),
  };
}

type Attributes = Parameters<Span['setAttributes']>[0];

function told(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => TOLD.has(name)));
}
