/** As OpenTelemetry's environment variables name them. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Where spans go, and which. */
export interface TracingSettings {
  /** Root of an OTLP endpoint, which takes protobuf over HTTP at `/v1/traces`; undefined: nothing is traced. */
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
  /** Of the process, unless the settings name it: `unified-calendar-api`. */
  serviceName: string;
  serviceVersion: string;
  /** Told of spans that could not be exported, once a minute at most. */
  onProblem: (error: Error) => void;
}

export interface Tracing {
  /** Exports what there is. Never throws, and never takes longer than two seconds. */
  stop(): Promise<void>;
}

const NOTHING_IS_TRACED: Tracing = { stop: () => Promise.resolve() };

/** To be called before what is to be traced. The SDK is loaded when there is an endpoint, and else not at all. */
export async function startTracing(settings: TracingSettings, options: TracingOptions): Promise<Tracing> {
  const { otelEndpoint, otelSdkDisabled } = settings;
  if (otelEndpoint === undefined || otelSdkDisabled === 'true') return NOTHING_IS_TRACED;
  const { startSdk } = await import('./sdk.js');
  return startSdk({ ...settings, otelEndpoint }, options);
}
