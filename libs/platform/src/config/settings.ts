import { SAMPLERS } from '../telemetry/index.js';
import { encryptionKeys } from './encryption-keys.js';
import {
  allowList,
  integer,
  issuer,
  keyValues,
  oneOf,
  optionalPort,
  ratio,
  requiredUrl,
  root,
  text,
  url,
} from './setting.js';

/** All settings except those of providers (libs/providers), in the order of docs/operations/configuration.md. */
export const SETTINGS = {
  nodeEnv: oneOf('NODE_ENV', ['development', 'production', 'test'], {
    description: 'Production refuses to boot without the settings marked so.',
    fallback: 'development',
  }),
  port: integer('PORT', {
    description: 'Port the API listens on; 0 takes a free one.',
    fallback: 3000,
    min: 0,
    max: 65535,
  }),
  host: text('HOST', {
    description: 'Address that API, health endpoints and metrics bind to. `npm start`: `127.0.0.1` unless it is given.',
    fallback: '0.0.0.0',
  }),
  publicUrl: url('PUBLIC_URL', ['https', 'http'], {
    description: 'Address under which clients and providers reach this service, without `/api`. Production: https.',
    required: 'production',
    fallback: 'http://localhost:3000',
  }),
  apiDocs: oneOf('API_DOCS', ['on', 'off'], {
    description:
      'Whether the API can be read and tried out under `/api/docs`. `/api/openapi.json` is there either way.',
    fallback: 'on',
  }),
  trustProxy: integer('TRUST_PROXY', {
    description:
      'How many proxies in front of the API add to `X-Forwarded-For`: that many of its last entries are believed when ' +
      'requests are counted by address.',
    fallback: 0,
    min: 0,
    max: 10,
  }),
  databaseUrl: requiredUrl(
    'DATABASE_URL',
    ['postgresql', 'postgres'],
    'PostgreSQL 15 or newer. Outside production `npm start` runs its own one when this is absent.',
  ),
  databasePoolSize: integer('DATABASE_POOL_SIZE', {
    description: 'Connections to the database, per process.',
    fallback: 20,
    min: 1,
    max: 500,
  }),
  redisUrl: url('REDIS_URL', ['redis', 'rediss'], {
    description:
      'Redis for the job queues and for the limits of API keys. Without it queues run on PostgreSQL, and every process ' +
      'of the API limits keys by itself.',
  }),
  dataDir: text('DATA_DIR', { description: 'Where `npm start` keeps its database and keys.', fallback: '.data' }),
  encryptionKeys: encryptionKeys('ENCRYPTION_KEYS'),
  logLevel: oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    description: 'Least important lines that are logged.',
    fallback: 'info',
  }),
  egressAllow: allowList('EGRESS_ALLOW', {
    description:
      'Comma separated `host`, `host:port` or CIDR that outbound requests may reach although private or plain http: ' +
      'CalDAV servers in your own network.',
    fallback: '',
  }),
  providerTimeoutMs: integer('PROVIDER_TIMEOUT_MS', {
    description: 'Time for one call of a provider by one operation, repeated tries included, milliseconds.',
    fallback: 10_000,
    min: 1_000,
    max: 600_000,
  }),
  expiryProbeInterval: integer('EXPIRY_PROBE_INTERVAL', {
    description:
      'How often the credentials of an account are tried without anybody asking, seconds; passwords twice as often.',
    fallback: 480,
    min: 5,
    max: 86_400,
  }),
  webhookTransport: oneOf('WEBHOOK_TRANSPORT', ['builtin', 'svix'], {
    description: 'Who delivers webhooks: this service, or the Svix server of the next two settings.',
    fallback: 'builtin',
  }),
  svixServerUrl: root('SVIX_SERVER_URL', {
    description: 'Root of the Svix server; required with `svix`. Its origin is trusted as configured.',
  }),
  svixToken: text('SVIX_TOKEN', { description: 'What we are authorized with there; required with `svix`.' }),
  webhookCoalesceMs: integer('WEBHOOK_COALESCE_MS', {
    description:
      'Changes of a calendar within this time of the last look at it are told of by one message, milliseconds.',
    fallback: 2_000,
    min: 0,
    max: 2_000,
  }),
  webhookConcurrency: integer('WEBHOOK_CONCURRENCY', {
    description: 'Attempts to deliver webhooks that one worker makes at a time, of first ones and of repeats each.',
    fallback: 64,
    min: 1,
    max: 1_000,
  }),
  rateLimitRps: integer('RATE_LIMIT_RPS', {
    description: 'Requests a second per API key, unless the application has its own limit.',
    fallback: 300,
    min: 1,
    max: 1_000_000,
  }),
  overloadTargetDelayMs: integer('OVERLOAD_TARGET_DELAY_MS', {
    description:
      'How late the event loop of the API may stand before requests are turned away with 503, milliseconds. 0: never.',
    fallback: 10,
    min: 0,
    max: 10_000,
  }),
  maxRequestsInFlight: integer('MAX_REQUESTS_IN_FLIGHT', {
    description: 'Requests of applications that one process of the API answers at a time; what is more is turned away.',
    fallback: 2_000,
    min: 8,
    max: 100_000,
  }),
  operatorSessionIdleMinutes: integer('OPERATOR_SESSION_IDLE_MINUTES', {
    description: 'After how long without a request an operator has to sign in to the dashboard again, minutes.',
    fallback: 30,
    min: 2,
    max: 1_440,
  }),
  operatorSessionMaxHours: integer('OPERATOR_SESSION_MAX_HOURS', {
    description: 'How long an operator stays signed in to the dashboard at the most, hours.',
    fallback: 12,
    min: 1,
    max: 168,
  }),
  operatorPasswords: oneOf('OPERATOR_PASSWORDS', ['on', 'off'], {
    description:
      'Whether operators may sign in with passwords; `off` needs an OpenID provider, whose second factor then counts.',
    fallback: 'on',
  }),
  oidcIssuer: issuer('OIDC_ISSUER', {
    description:
      'OpenID provider that operators sign in with, as its id_tokens name it; plain http on this machine alone. Its ' +
      'origin is trusted as configured.',
  }),
  oidcClientId: text('OIDC_CLIENT_ID', {
    description:
      'Client of this service there; required with an issuer. Its redirect URI: ' +
      '`{PUBLIC_URL}/api/operator/v1/sign-on/callback`.',
  }),
  oidcClientSecret: text('OIDC_CLIENT_SECRET', { description: 'Its secret; required with an issuer.' }),
  oidcLabel: text('OIDC_LABEL', {
    description: 'What the button says that leads there.',
    fallback: 'Single sign-on',
  }),
  requestHistoryDays: integer('REQUEST_HISTORY_DAYS', {
    description:
      'How long the dashboard shows what was asked of the API, days. 0: it is not recorded, and what is there goes.',
    fallback: 14,
    min: 0,
    max: 365,
  }),
  bodyLimitBytes: integer('BODY_LIMIT_BYTES', {
    description: 'Largest request body, bytes.',
    fallback: 1_048_576,
    min: 1_024,
    max: 104_857_600,
  }),
  requestTimeoutMs: integer('REQUEST_TIMEOUT_MS', {
    description: 'Time for one request, calls to the provider included, milliseconds.',
    fallback: 25_000,
    min: 1_000,
    max: 600_000,
  }),
  migrationWaitMs: integer('MIGRATION_WAIT_MS', {
    description:
      'How long a process waits at its start for the database and for `ops migrate`, milliseconds. Less than the startup ' +
      'probe allows.',
    fallback: 60_000,
    min: 0,
    max: 600_000,
  }),
  shutdownDelayMs: integer('SHUTDOWN_DELAY_MS', {
    description: 'After SIGTERM: how long readiness answers 503 while requests are still served, milliseconds.',
    fallback: 5_000,
    min: 0,
    max: 120_000,
  }),
  shutdownTimeoutMs: integer('SHUTDOWN_TIMEOUT_MS', {
    description: 'After SIGTERM: when what still runs is cut off, milliseconds. Less than the pod grace period.',
    fallback: 35_000,
    min: 1_000,
    max: 600_000,
  }),
  workerHealthPort: integer('WORKER_HEALTH_PORT', {
    description: 'Port of the health endpoints of the worker; 0 takes a free one.',
    fallback: 3001,
    min: 0,
    max: 65535,
  }),
  metricsPort: optionalPort('METRICS_PORT', {
    description:
      'Port of `/metrics`, of each process its own; 0 takes a free one. It is for your monitoring alone: let nobody else ' +
      'reach it.',
    fallback: 9464,
  }),
  otelEndpoint: url('OTEL_EXPORTER_OTLP_ENDPOINT', ['https', 'http'], {
    description:
      'Root of an OpenTelemetry collector that takes OTLP over HTTP, e.g. `http://localhost:4318`: traces go to ' +
      '`/v1/traces` there. Without it nothing is traced.',
  }),
  otelHeaders: keyValues('OTEL_EXPORTER_OTLP_HEADERS', {
    description: 'Headers that it is sent, percent-encoded: what it wants to be authorized with.',
  }),
  otelServiceName: text('OTEL_SERVICE_NAME', {
    description: 'What the process is called in traces. Default: `unified-calendar-api`, `unified-calendar-worker`.',
  }),
  otelResourceAttributes: keyValues('OTEL_RESOURCE_ATTRIBUTES', {
    description: 'What else is told of the process in traces: `deployment.environment.name=production`.',
  }),
  otelTracesSampler: oneOf('OTEL_TRACES_SAMPLER', SAMPLERS, {
    description:
      'Which requests and jobs are traced. By default those whose caller is traced, and a part of the others.',
    fallback: 'parentbased_traceidratio',
  }),
  otelTracesSamplerArg: ratio('OTEL_TRACES_SAMPLER_ARG', {
    description: 'Which part of them that is.',
    fallback: 1,
  }),
  otelSdkDisabled: oneOf('OTEL_SDK_DISABLED', ['true', 'false'], {
    description: 'Nothing is traced although there is an endpoint.',
    fallback: 'false',
  }),
};
