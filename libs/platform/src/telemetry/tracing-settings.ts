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
