import { TraceFlags, type Attributes, type Context, type Link, type SpanKind } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  type Sampler,
  type SamplingResult,
} from '@opentelemetry/sdk-trace';
import type { TracingSettings } from './start-tracing.js';

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
