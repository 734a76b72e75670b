import { randomUUID } from 'node:crypto';
import {
  context,
  diag,
  DiagLogLevel,
  propagation,
  trace,
  TraceFlags,
  type DiagLogger,
  type Attributes,
  type Context,
  type Link,
  type SpanKind,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  TracerProvider,
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  type Sampler,
  type SamplingResult,
} from '@opentelemetry/sdk-trace';
import { ATTR_SERVICE_INSTANCE_ID, ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions';
import { withDeadline } from '#platform/deadline';
import type { Tracing, TracingOptions, TracingSettings } from './start-tracing.js';
import { traceWith } from './tracing.js';

/** Buffered spans, about 2 MB; further ones are dropped. */
const MAX_WAITING = 2_048;
const MAX_EXPORT_BATCH_SIZE = 512;
const EXPORT_EVERY_MS = 2_000;
const EXPORT_TIMEOUT_MS = 10_000;
const STOP_WITHIN_MS = 2_000;
const PROBLEMS_EVERY_MS = 60_000;

/** Our attributes are names and ids; longer values are not ours. */
const MAX_VALUE_LENGTH = 256;

export function startSdk(settings: TracingSettings & { otelEndpoint: string }, options: TracingOptions): Tracing {
  const report = onceIn(PROBLEMS_EVERY_MS, options.onProblem);
  setGlobalErrorHandler((error) => report(error instanceof Error ? error : new Error('spans could not be exported')));
  diag.setLogger(diagnosticsTo(report), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        [ATTR_SERVICE_VERSION]: options.serviceVersion,
        [ATTR_SERVICE_INSTANCE_ID]: randomUUID(),
        ...settings.otelResourceAttributes,
        [ATTR_SERVICE_NAME]:
          settings.otelServiceName ?? settings.otelResourceAttributes?.[ATTR_SERVICE_NAME] ?? options.serviceName,
      }),
    ),
    sampler: samplerOf(settings),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_LENGTH },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({
          url: `${settings.otelEndpoint.replace(/\/+$/, '')}/v1/traces`,
          headers: { ...settings.otelHeaders },
          timeoutMillis: EXPORT_TIMEOUT_MS,
        }),
        maxQueueSize: MAX_WAITING,
        maxExportBatchSize: MAX_EXPORT_BATCH_SIZE,
        scheduledDelayMillis: EXPORT_EVERY_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  // BullMQ uses the global tracer provider.
  trace.setGlobalTracerProvider(provider);
  traceWith(provider.getTracer('unified-calendar', options.serviceVersion));
  return { stop: () => stopWithin(STOP_WITHIN_MS, provider, report) };
}

async function stopWithin(ms: number, provider: TracerProvider, report: (error: Error) => void): Promise<void> {
  traceWith(null);
  const stopped = provider.shutdown().catch((error: unknown) => {
    report(error instanceof Error ? error : new Error('spans could not be exported'));
  });
  await withDeadline(stopped, ms, () => undefined);
  for (const api of [context, propagation, trace, diag]) api.disable();
}

function onceIn(ms: number, report: (error: Error) => void): (error: Error) => void {
  let nextMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    const nowMs = performance.now();
    if (nowMs < nextMs) return;
    nextMs = nowMs + ms;
    report(error);
  };
}

function diagnosticsTo(report: (error: Error) => void): DiagLogger {
  const problem = (message: string) => report(new Error(message));
  const nothing = () => undefined;
  return { error: problem, warn: problem, info: nothing, debug: nothing, verbose: nothing };
}

type SamplerSettings = Pick<TracingSettings, 'otelTracesSampler' | 'otelTracesSamplerArg'>;

export function samplerOf({ otelTracesSampler, otelTracesSamplerArg: ratio }: SamplerSettings): Sampler {
  switch (otelTracesSampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new SequelSampler(new TraceIdRatioBasedSampler(ratio)) });
  }
}

/** Also samples traces linked to a sampled one, such as a retry of a delivery hours later. */
class SequelSampler implements Sampler {
  constructor(private readonly others: Sampler) {}

  shouldSample(
    context: Context,
    traceId: string,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): SamplingResult {
    const isSequel = links.some((link) => (link.context.traceFlags & TraceFlags.SAMPLED) !== 0);
    if (isSequel) return { decision: SamplingDecision.RECORD_AND_SAMPLED };
    return this.others.shouldSample(context, traceId, name, kind, attributes, links);
  }

  toString(): string {
    return `SequelSampler(${this.others.toString()})`;
  }
}
