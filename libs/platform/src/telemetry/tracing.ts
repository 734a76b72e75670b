import {
  context,
  createContextKey,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Link,
  type Span,
  type Tracer,
} from '@opentelemetry/api';

/** null when tracing is disabled; then no call below allocates anything. */
let tracer: Tracer | null = null;

const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  /**
   * null starts a new trace. When undefined, the span belongs to the current trace and exists only if that is recorded.
   */
  traceparent?: string | null;
  /** The `traceparent` of the cause, in another trace. */
  linkedTo?: string | null;
}

/** null disables tracing. */
export function traceWith(made: Tracer | null): void {
  tracer = made;
}

export function isTracingEnabled(): boolean {
  return tracer !== null;
}

/** Whether the current span is recorded; false after its end. Check before building attributes. */
export function isRecording(): boolean {
  return tracer !== null && trace.getSpan(context.active())?.isRecording() === true;
}

export async function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const span = openSpan(name, options);
  if (span === null) return work(NO_SPAN);
  try {
    return await runInSpan(span, () => work(span));
  } catch (error) {
    markFailed(span, errorType(error));
    throw error;
  } finally {
    span.end();
  }
}

/** null without tracing. */
export function openSpan(name: string, options: SpanOptions): Span | null {
  const { kind = SpanKind.INTERNAL, attributes = {}, traceparent, linkedTo } = options;
  if (tracer === null || (traceparent === undefined && !isRecording())) return null;
  const parent = traceparent === undefined ? context.active() : contextOf({ traceparent });
  return tracer.startSpan(name, { kind, attributes, links: linksTo(linkedTo) }, parent);
}

export function openServerSpan(name: string, headers: Carrier, attributes: Attributes): Span | null {
  return tracer?.startSpan(name, { kind: SpanKind.SERVER, attributes }, contextOf(headers)) ?? null;
}

export function runInSpan<T>(span: Span, work: () => T): T {
  return context.with(trace.setSpan(context.active(), span), work);
}

/** @param type one of few values, never a message: it may quote a provider or a user */
export function markFailed(span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', type);
}

/** The current span as W3C `traceparent` (55 characters), to store or send; null when not exported. */
export function currentTraceparent(): string | null {
  return tracer === null ? null : traceparentOf(trace.getSpan(context.active()));
}

export function traceparentOf(span: Span | undefined): string | null {
  if (span === undefined) return null;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return (traceFlags & TraceFlags.SAMPLED) === 0 ? null : `00-${traceId}-${spanId}-01`;
}

export function traceIdOf(traceparent: string | null | undefined): string | undefined {
  return traceparent?.split('-')[1];
}

/** The current trace, for log lines; undefined when not exported. */
export function currentTraceId(): string | undefined {
  return isRecording() ? trace.getSpanContext(context.active())?.traceId : undefined;
}

const REPEATS = createContextKey('how often what is asked was asked before');

/** @param repeats number of earlier tries of the same request, recorded by the requests of `work` */
export function withRetryCount<T>(repeats: number, work: () => T): T {
  if (repeats === 0 || !isRecording()) return work();
  return context.with(context.active().setValue(REPEATS, repeats), work);
}

/** 0 for a first try. */
export function currentRepeats(): number {
  const repeats = tracer === null ? undefined : context.active().getValue(REPEATS);
  return typeof repeats === 'number' ? repeats : 0;
}

type Runner = <T>(work: () => T) => T;
const runNow: Runner = (work) => work();

/** Captures the current trace for work that runs later. */
export function captureTraceContext(): Runner {
  if (tracer === null) return runNow;
  const held = context.active();
  return (work) => context.with(held, work);
}

type Carrier = Record<string, unknown>;

function contextOf(carrier: Carrier): Context {
  return propagation.extract(ROOT_CONTEXT, carrier);
}

function linksTo(traceparent: string | null | undefined): Link[] {
  if (traceparent == null) return [];
  const linked = trace.getSpanContext(contextOf({ traceparent }));
  return linked === undefined || !isSpanContextValid(linked) ? [] : [{ context: linked }];
}

const ERROR_TYPE = /^[\w.-]{1,64}$/;

function errorType(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  const type = [code, name].find((candidate) => typeof candidate === 'string' && ERROR_TYPE.test(candidate));
  return typeof type === 'string' ? type : 'unknown';
}
