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

/** null: nothing is traced, and no call below allocates anything. */
let tracer: Tracer | null = null;

const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  /**
   * Whose trace it goes on with: the `traceparent` that a row, a job or a caller brought; null: it begins one of its own.
   * Without it the span is part of what runs now, and there is none when that is not traced.
   */
  traceparent?: string | null;
  /** The `traceparent` of what led to it, in another trace. */
  linkedTo?: string | null;
}

/** Makes spans with this tracer from now on; null: none. Called by who starts and stops the SDK. */
export function traceWith(made: Tracer | null): void {
  tracer = made;
}

/** Whether there is an SDK that exports spans. */
export function isTracing(): boolean {
  return tracer !== null;
}

/**
 * Whether what runs now is part of a trace that is exported: not any more after the end of its span. Asked before anything is put
 * together for a span.
 */
export function isTraced(): boolean {
  return tracer !== null && trace.getSpan(context.active())?.isRecording() === true;
}

/** Runs `work` in a span; what it throws marks the span as failed, and is thrown on. */
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

/** A span that the caller ends; null where there is none. */
export function openSpan(name: string, options: SpanOptions): Span | null {
  const { kind = SpanKind.INTERNAL, attributes = {}, traceparent, linkedTo } = options;
  if (tracer === null || (traceparent === undefined && !isTraced())) return null;
  const parent = traceparent === undefined ? context.active() : contextOf({ traceparent });
  return tracer.startSpan(name, { kind, attributes, links: linksTo(linkedTo) }, parent);
}

/** A span of a request that came from outside, with the trace that its headers name. */
export function openServerSpan(name: string, headers: Carrier, attributes: Attributes): Span | null {
  return tracer?.startSpan(name, { kind: SpanKind.SERVER, attributes }, contextOf(headers)) ?? null;
}

/** Runs `work`, and whatever it starts, as part of the span. */
export function runInSpan<T>(span: Span, work: () => T): T {
  return context.with(trace.setSpan(context.active(), span), work);
}

/** @param type of the error, of a few values: never a message, which may hold what a provider or a user wrote */
export function markFailed(span: Span, type: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', type);
}

/** What runs now as W3C `traceparent`, 55 characters, to be kept with a row or sent to a receiver; null: it is not exported. */
export function currentTraceparent(): string | null {
  return tracer === null ? null : traceparentOf(trace.getSpan(context.active()));
}

export function traceparentOf(span: Span | undefined): string | null {
  if (span === undefined) return null;
  const { traceId, spanId, traceFlags } = span.spanContext();
  return (traceFlags & TraceFlags.SAMPLED) === 0 ? null : `00-${traceId}-${spanId}-01`;
}

/** The trace that a row goes on with, by its `traceparent`; undefined: there is none. */
export function traceIdOf(traceparent: string | null | undefined): string | undefined {
  return traceparent?.split('-')[1];
}

/** The trace that what runs now is part of, for its log lines; undefined: it is not exported. */
export function currentTraceId(): string | undefined {
  return isTraced() ? trace.getSpanContext(context.active())?.traceId : undefined;
}

const REPEATS = createContextKey('how often what is asked was asked before');

/** @param repeats how often the same was asked before; told by the requests of `work`. 0: never */
export function asRepeat<T>(repeats: number, work: () => T): T {
  if (repeats === 0 || !isTraced()) return work();
  return context.with(context.active().setValue(REPEATS, repeats), work);
}

/** 0: what runs now is the first try, or nothing of the kind. */
export function currentRepeats(): number {
  const repeats = tracer === null ? undefined : context.active().getValue(REPEATS);
  return typeof repeats === 'number' ? repeats : 0;
}

type Runner = <T>(work: () => T) => T;
const runNow: Runner = (work) => work();

/** For work that is done later, on behalf of who asks now: runs it as part of their trace. */
export function heldTrace(): Runner {
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

/** Codes of our errors, SQLSTATEs, and names of classes. */
const ERROR_TYPE = /^[\w.-]{1,64}$/;

function errorType(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  const type = [code, name].find((candidate) => typeof candidate === 'string' && ERROR_TYPE.test(candidate));
  return typeof type === 'string' ? type : 'unknown';
}
