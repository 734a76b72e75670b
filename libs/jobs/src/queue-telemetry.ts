import { trace, type Context, type Span as OwnSpan } from '@opentelemetry/api';
import type { Span, SpanOptions, Telemetry } from 'bullmq';
import { BullMQOtel } from 'bullmq-otel';
import { isTracingEnabled, markFailed } from '#platform/telemetry';

/** Exported attributes of jobs and their names. Excludes failure reasons and results, which may contain any data. */
const EXPORTED_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['bullmq.job.id', 'messaging.message.id'],
  ['bullmq.job.bulk.count', 'messaging.batch.message_count'],
  ['bullmq.job.name', 'bullmq.job.name'],
  ['bullmq.job.attempts.made', 'bullmq.job.attempts.made'],
]);

/** BullMQ's `SpanKind`s. */
const INTERNAL = 0;
const CONSUMER = 4;

/** A job continues the trace of its creator. Empty without tracing. */
export function queueTelemetry(): { telemetry?: Telemetry<Context> } {
  if (!isTracingEnabled()) return {};
  const { contextManager, tracer } = new BullMQOtel({ tracerName: 'bullmq' });
  const startSpan = (name: string, options: SpanOptions, parent?: Context) => {
    const kind = Number(options.kind);
    // Fetching the next job, extending locks, …: several per second and queue.
    if (kind === INTERNAL) return NO_SPAN;
    // `add calendar-syncs.sync`, `process calendar-syncs`
    const [operation = '', queue = ''] = name.split(/[ .]/);
    const span = tracer.startSpan(`${operation} ${queue}`, options, parent);
    span.setAttributes({
      'messaging.system.name': 'bullmq',
      'messaging.operation.name': operation,
      'messaging.operation.type': kind === CONSUMER ? 'process' : 'send',
      'messaging.destination.name': queue,
    });
    return filteredSpan(span, () => trace.getSpan(span.setSpanOnContext(contextManager.active())));
  };
  return {
    telemetry: { contextManager, tracer: { startSpan: startSpan as Telemetry<Context>['tracer']['startSpan'] } },
  };
}

const NO_SPAN: Span<Context> = {
  setSpanOnContext: (context) => context,
  setAttribute: () => undefined,
  setAttributes: () => undefined,
  addEvent: () => undefined,
  recordException: () => undefined,
  end: () => undefined,
};

/** @param own the span as OpenTelemetry knows it */
function filteredSpan(span: Span<Context>, own: () => OwnSpan | undefined): Span<Context> {
  return {
    ...NO_SPAN,
    setSpanOnContext: (context) => span.setSpanOnContext(context),
    setAttribute: (name, value) => {
      span.setAttributes(labelsOf({ [name]: value }));
    },
    setAttributes: (attributes) => span.setAttributes(labelsOf(attributes)),
    recordException: (exception) => {
      const failed = own();
      if (failed !== undefined) markFailed(failed, (exception as { name?: string }).name ?? 'unknown');
    },
    end: () => span.end(),
  };
}

type Attributes = Parameters<Span['setAttributes']>[0];

function labelsOf(attributes: Attributes): Attributes {
  const renamed: Attributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    const as = EXPORTED_ATTRIBUTES.get(name);
    if (as !== undefined) renamed[as] = value;
  }
  return renamed;
}
