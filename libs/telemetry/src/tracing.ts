import { context, propagation, SpanKind, SpanStatusCode, trace, type Attributes, type Span } from '@opentelemetry/api';

/** Without an SDK (no `OTEL_EXPORTER_OTLP_ENDPOINT`) every span is the same no-op: nothing is allocated or exported. */
const tracer = trace.getTracer('unified-calendar');

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  /** The `traceparent` that was kept with what is worked on now, by a row or a job: the span goes on with its trace. */
  traceparent?: string | null;
}

/** Runs `work` in a span of its own; what it throws marks the span as failed, and is thrown on. */
export async function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const { kind = SpanKind.INTERNAL, attributes = {}, traceparent } = options;
  const parent = traceparent == null ? context.active() : contextOf(traceparent);
  return tracer.startActiveSpan(name, { kind, attributes }, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      // The message may hold what a provider or a user wrote: a span gets the kind of the error alone.
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The running span as W3C `traceparent` (55 characters), to be kept with a row or a job; null: there is none sampled. */
export function currentTraceparent(): string | null {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier['traceparent'] ?? null;
}

function contextOf(traceparent: string) {
  return propagation.extract(context.active(), { traceparent });
}
