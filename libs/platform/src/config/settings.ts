import { SAMPLERS } from '../telemetry/index.js';
import { encryptionKeys } from './encryption-keys.js';
import {
  allowList,
  baseUrl,
  integer,
  issuer,
  keyValues,
  oneOf,
  optionalPort,
  optionalUrl,
  ratio,
  requiredUrl,
  root,
  text,
  url,
  urlTemplate,
} from './setting.js';

/** All settings except those of providers (libs/providers), in the order of docs/operations/configuration.md. */
export const SETTINGS = {
  nodeEnv: oneOf('NODE_ENV', ['development', 'production', 'test'], {
    description: 'Production refuses to boot without the settings marked so.',
    fallback: 'development',
  }),
  port: integer('PORT', {
    description: 'Port of the API. 0: any free port.',
    fallback: 3000,
    min: 0,
    max: 65535,
  }),
  host: text('HOST', {
    description:
      'Address that the API, the health endpoints and the metrics bind to. `npm start` uses `127.0.0.1` by ' +
      'default.',
    fallback: '0.0.0.0',
  }),
  publicUrl: baseUrl('PUBLIC_URL', {
    description: 'URL at which clients and providers reach this service, without `/api`. Must be https in production.',
    required: 'production',
    fallback: 'http://localhost:3000',
  }),
  operatorUrl: optionalUrl('OPERATOR_URL', {
    description:
      'URL of the dashboard and the operator API, without `/dashboard`: they answer at its host and port alone. Empty: at ' +
      '`PUBLIC_URL` and every other address of the API. `off`: nowhere. Must be https in production.',
  }),
  apiDocs: oneOf('API_DOCS', ['on', 'off'], {
    description: 'Serves the interactive API documentation at `/api/docs`. `/api/openapi.json` is always served.',
    fallback: 'on',
  }),
  trustProxy: integer('TRUST_PROXY', {
    description:
      'Number of proxies in front of the API that append to `X-Forwarded-For`. Limits by address trust that ' +
      'many of its last entries.',
    fallback: 0,
    min: 0,
    max: 10,
  }),
  databaseUrl: requiredUrl(
    'DATABASE_URL',
    ['postgresql', 'postgres'],
    'PostgreSQL 15 or newer. Outside production `npm start` runs its own database when this is absent.',
  ),
  databasePoolSize: integer('DATABASE_POOL_SIZE', {
    description: 'Connections to the database, per process.',
    fallback: 20,
    min: 1,
    max: 500,
  }),
  redisUrl: url('REDIS_URL', ['redis', 'rediss'], {
    description:
      'Redis for the job queues and the rate limits of API keys. Without it the queues run on PostgreSQL ' +
      'and each API process limits keys on its own.',
  }),
  dataDir: text('DATA_DIR', { description: 'Where `npm start` keeps its database and keys.', fallback: '.data' }),
  encryptionKeys: encryptionKeys('ENCRYPTION_KEYS'),
  logLevel: oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    description: 'Lowest level that is logged.',
    fallback: 'info',
  }),
  egressAllow: allowList('EGRESS_ALLOW', {
    description:
      'Comma-separated `host`, `host:port` or CIDR that outbound requests may reach although the address is ' +
      'private or the URL is plain http, such as CalDAV servers in your own network.',
    fallback: '',
  }),
  providerTimeoutMs: integer('PROVIDER_TIMEOUT_MS', {
    description: 'Timeout of one provider call, retries included, in milliseconds.',
    fallback: 10_000,
    min: 1_000,
    max: 600_000,
  }),
  expiryProbeInterval: integer('EXPIRY_PROBE_INTERVAL', {
    description:
      'Interval of background credential checks per account, in seconds. Accounts with a password are ' +
      'checked twice as often.',
    fallback: 480,
    min: 5,
    max: 86_400,
  }),
  webhookTransport: oneOf('WEBHOOK_TRANSPORT', ['builtin', 'svix'], {
    description:
      'Delivers webhooks with this service (`builtin`) or with the Svix server of the next two settings ' + '(`svix`).',
    fallback: 'builtin',
  }),
  svixServerUrl: root('SVIX_SERVER_URL', {
    description: 'Root URL of the Svix server. Required with `svix`. Its origin is trusted.',
  }),
  svixToken: text('SVIX_TOKEN', { description: 'Token for the Svix server. Required with `svix`.' }),
  webhookCoalesceMs: integer('WEBHOOK_COALESCE_MS', {
    description:
      'Changes of a calendar within this time after its last sync are announced in one message, in ' + 'milliseconds.',
    fallback: 2_000,
    min: 0,
    max: 2_000,
  }),
  webhookConcurrency: integer('WEBHOOK_CONCURRENCY', {
    description: 'Concurrent webhook delivery attempts per worker, counted separately for first attempts and retries.',
    fallback: 64,
    min: 1,
    max: 1_000,
  }),
  rateLimitRps: integer('RATE_LIMIT_RPS', {
    description: 'Requests per second and API key, unless the application has its own limit.',
    fallback: 300,
    min: 1,
    max: 1_000_000,
  }),
  overloadTargetDelayMs: integer('OVERLOAD_TARGET_DELAY_MS', {
    description: 'Event loop delay from which the API sheds requests with 503, in milliseconds. 0: never.',
    fallback: 10,
    min: 0,
    max: 10_000,
  }),
  maxRequestsInFlight: integer('MAX_REQUESTS_IN_FLIGHT', {
    description: 'Concurrent requests of applications per API process. The API sheds more than that.',
    fallback: 2_000,
    min: 8,
    max: 100_000,
  }),
  operatorSessionIdleMinutes: integer('OPERATOR_SESSION_IDLE_MINUTES', {
    description: 'Dashboard sessions end after this time without a request, in minutes.',
    fallback: 30,
    min: 2,
    max: 1_440,
  }),
  operatorSessionMaxHours: integer('OPERATOR_SESSION_MAX_HOURS', {
    description: 'Dashboard sessions end after this time in any case, in hours.',
    fallback: 12,
    min: 1,
    max: 168,
  }),
  operatorPasswords: oneOf('OPERATOR_PASSWORDS', ['on', 'off'], {
    description:
      'Allows operators to sign in with passwords. `off` requires an OpenID provider, which then is ' +
      'responsible for the second factor.',
    fallback: 'on',
  }),
  oidcIssuer: issuer('OIDC_ISSUER', {
    description:
      'Issuer URL of the OpenID provider of operators, as in its id_tokens. Plain http only on this ' +
      'machine. Its origin is trusted.',
  }),
  oidcClientId: text('OIDC_CLIENT_ID', {
    description:
      'Client ID at the OpenID provider. Required with an issuer. Redirect URI: ' +
      '`{OPERATOR_URL, else PUBLIC_URL}/api/operator/v1/sign-on/callback`.',
  }),
  oidcClientSecret: text('OIDC_CLIENT_SECRET', {
    description: 'Client secret at the OpenID provider. Required with an issuer.',
  }),
  oidcLabel: text('OIDC_LABEL', {
    description: 'Label of the single sign-on button.',
    fallback: 'Single sign-on',
  }),
  requestHistoryDays: integer('REQUEST_HISTORY_DAYS', {
    description:
      'Days that the dashboard keeps the request history. 0: requests are not recorded, and recorded ones ' +
      'are deleted.',
    fallback: 14,
    min: 0,
    max: 365,
  }),
  traceUrl: urlTemplate('TRACE_URL', '{traceId}', {
    description:
      'Page of your tracing system that shows one trace. The request log of the dashboard links requests whose trace is ' +
      'exported.',
  }),
  bodyLimitBytes: integer('BODY_LIMIT_BYTES', {
    description: 'Maximum size of a request body, in bytes.',
    fallback: 1_048_576,
    min: 1_024,
    max: 104_857_600,
  }),
  requestTimeoutMs: integer('REQUEST_TIMEOUT_MS', {
    description: 'Timeout of one request, provider calls included, in milliseconds.',
    fallback: 25_000,
    min: 1_000,
    max: 600_000,
  }),
  migrationWaitMs: integer('MIGRATION_WAIT_MS', {
    description:
      'Time that a starting process waits for the database and for `ops migrate`, in milliseconds. Must be ' +
      'shorter than the startup probe allows.',
    fallback: 60_000,
    min: 0,
    max: 600_000,
  }),
  shutdownDelayMs: integer('SHUTDOWN_DELAY_MS', {
    description: 'Time after SIGTERM in which readiness returns 503 while requests are still served, in milliseconds.',
    fallback: 5_000,
    min: 0,
    max: 120_000,
  }),
  shutdownTimeoutMs: integer('SHUTDOWN_TIMEOUT_MS', {
    description:
      'Time after SIGTERM at which running work is aborted, in milliseconds. Must be shorter than the pod ' +
      'grace period.',
    fallback: 35_000,
    min: 1_000,
    max: 600_000,
  }),
  workerHealthPort: integer('WORKER_HEALTH_PORT', {
    description: 'Port of the health endpoints of the worker. 0: any free port.',
    fallback: 3001,
    min: 0,
    max: 65535,
  }),
  metricsPort: optionalPort('METRICS_PORT', {
    description: 'Port of `/metrics`, one per process. 0: any free port. Only your monitoring should reach it.',
    fallback: 9464,
  }),
  otelEndpoint: url('OTEL_EXPORTER_OTLP_ENDPOINT', ['https', 'http'], {
    description:
      'Root URL of an OpenTelemetry collector for OTLP over HTTP, such as `http://localhost:4318`. Traces ' +
      'go to its `/v1/traces`. Without it nothing is traced.',
  }),
  otelHeaders: keyValues('OTEL_EXPORTER_OTLP_HEADERS', {
    description: 'Headers for the collector, percent-encoded, such as its authorization.',
  }),
  otelServiceName: text('OTEL_SERVICE_NAME', {
    description: 'Service name in traces. Default: `unified-calendar-api`, `unified-calendar-worker`.',
  }),
  otelResourceAttributes: keyValues('OTEL_RESOURCE_ATTRIBUTES', {
    description: 'Further resource attributes in traces, such as `deployment.environment.name=production`.',
  }),
  otelTracesSampler: oneOf('OTEL_TRACES_SAMPLER', SAMPLERS, {
    description: 'Sampler of traces. The default samples requests whose caller is sampled, and a share of the others.',
    fallback: 'parentbased_traceidratio',
  }),
  otelTracesSamplerArg: ratio('OTEL_TRACES_SAMPLER_ARG', {
    description: 'Share of the other requests that is sampled.',
    fallback: 1,
  }),
  otelSdkDisabled: oneOf('OTEL_SDK_DISABLED', ['true', 'false'], {
    description: 'Disables tracing although an endpoint is set.',
    fallback: 'false',
  }),
};
