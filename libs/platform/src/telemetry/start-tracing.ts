export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface TracingSettings {
  /** Root of an OTLP endpoint that accepts protobuf over HTTP at `/v1/traces`; undefined disables tracing. */
  otelEndpoint: string | undefined;
  otelHeaders: Readonly<Record<string, string>> | undefined;
  otelServiceName: string | undefined;
  otelResourceAttributes: Readonly<Record<string, string>> | undefined;
  otelTracesSampler: (typeof SAMPLERS)[number];
  /** 0 to 1 */
  otelTracesSamplerArg: number;
  otelSdkDisabled: 'true' | 'false';
}

export interface TracingOptions {
  serviceName: string;
  serviceVersion: string;
  /** At most one per minute. */
  onProblem: (error: Error) => void;
}

export interface Tracing {
  /** Exports buffered spans. Never throws, takes at most two seconds. */
  stop(): Promise<void>;
}

const NO_TRACING: Tracing = { stop: () => Promise.resolve() };

/** Call before the code to trace. Loads the SDK only when tracing is enabled. */
export async function startTracing(settings: TracingSettings, options: TracingOptions): Promise<Tracing> {
  const { otelEndpoint, otelSdkDisabled } = settings;
  if (otelEndpoint === undefined || otelSdkDisabled === 'true') return NO_TRACING;
  const { startSdk } = await import('./sdk.js');
  return startSdk({ ...settings, otelEndpoint }, options);
}
