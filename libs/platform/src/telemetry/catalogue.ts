import {
  ATTEMPT_OUTCOMES,
  CALL_OUTCOMES,
  METHODS,
  OPERATIONS,
  QUEUES,
  SCHEMES,
  STATUSES,
  TASKS,
} from './vocabularies.js';

/**
 * Names and labels are an interface for dashboards, alert rules and SLOs. A label has few, known values: never an id,
 * an address or external text. Labels that a scrape adds (`job`, `instance`, `namespace`, `pod`, `service`,
 * `container`, `endpoint`) are reserved: Prometheus would rename ours.
 */
export interface MetricDefinition {
  kind: 'counter' | 'gauge' | 'histogram';
  help: string;
  /** Values of each label; others are recorded as {@link UNKNOWN}. `registered`: set when the process starts. */
  labels: Readonly<Record<string, readonly string[] | 'registered'>>;
  buckets?: readonly number[];
  hasExemplars?: true;
  /** Read from the database when a worker is scraped; no series while unknown. */
  isSampled?: true;
}

/** Label value for all values outside the known ones. */
export const UNKNOWN = '*';

const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];
const CALL_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
/** Seconds from a change to its delivery: below one with notifications, minutes with polling. */
const LAG_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900];
const STATEMENT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

export const CATALOGUE = {
  // Named by the semantic conventions of OpenTelemetry.
  http_server_request_duration_seconds: {
    kind: 'histogram',
    help:
      'Duration of requests, by route (`*`: no route matched) and response status (499: the client ' + 'disconnected).',
    labels: {
      http_request_method: METHODS,
      http_route: 'registered',
      http_response_status_code: STATUSES,
      url_scheme: SCHEMES,
    },
    hasExemplars: true,
    buckets: REQUEST_SECONDS,
  },
  http_server_active_requests: {
    kind: 'gauge',
    help: 'Requests in flight.',
    labels: { http_request_method: METHODS, url_scheme: SCHEMES },
  },
  calendar_requests_shed_total: {
    kind: 'counter',
    help: 'Requests shed before any work: `overload`, `rate_limit`, `draining`.',
    labels: { reason: ['overload', 'rate_limit', 'draining'] },
  },

  calendar_provider_call_duration_seconds: {
    kind: 'histogram',
    help:
      'Duration of provider requests, one per try, by operation (`events.list`, `token.refresh`, …) and ' +
      'outcome: `ok`, `rate_limited`, `unauthorized`, `client_error` (4xx), `server_error` (5xx), `timeout`, `unreachable`, ' +
      '`malformed_response`, `aborted` (the client disconnected, or the process stops).',
    labels: {
      provider: 'registered',
      operation: OPERATIONS,
      outcome: CALL_OUTCOMES,
    },
    hasExemplars: true,
    buckets: CALL_SECONDS,
  },
  calendar_token_refreshes_total: {
    kind: 'counter',
    help: 'Access token refreshes, by outcome: `refreshed`, `superseded`, `rejected`, `failed`.',
    labels: { provider: 'registered', outcome: ['refreshed', 'superseded', 'rejected', 'failed'] },
  },
  calendar_accounts: {
    kind: 'gauge',
    help: 'Accounts, by provider and status. Read from the database, the same in every worker: take the ' + 'maximum.',
    labels: { provider: 'registered', status: ['ACTIVE', 'EXPIRED'] },
    isSampled: true,
  },
  calendar_account_expiries_total: {
    kind: 'counter',
    help: 'Accounts that became EXPIRED, by reason.',
    labels: {
      provider: 'registered',
      reason: ['invalid_grant', 'password_rejected', 'consent_revoked', 'user_deleted'],
    },
  },
  calendar_mass_expiry_breakers_tripped: {
    kind: 'gauge',
    help: 'OAuth clients whose mass-expiry breaker is tripped. The same in every worker.',
    labels: { provider: 'registered' },
    isSampled: true,
  },

  calendar_oauth_client_secret_expires_in_seconds: {
    kind: 'gauge',
    help:
      'Time until the first secret of an OAuth client ends, negative after it; no series while no client has a date ' +
      '(`expiresAt`, `…_CLIENT_SECRET_EXPIRES_AT`). The same in every worker.',
    labels: { provider: 'registered' },
    isSampled: true,
  },

  calendar_credential_check_overdue_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest due credential check. The same in every worker.',
    labels: {},
    isSampled: true,
  },

  calendar_channels: {
    kind: 'gauge',
    help: 'Provider channels: `wanted` by subscriptions, `actual` open ones. The same in every worker.',
    labels: { provider: 'registered', state: ['wanted', 'actual'] },
    isSampled: true,
  },
  calendar_notifications_total: {
    kind: 'counter',
    help: 'Change notifications of providers: `accepted`, `rejected` (invalid, unknown channel).',
    labels: { provider: 'registered', outcome: ['accepted', 'rejected'] },
  },
  calendar_provider_requests_total: {
    kind: 'counter',
    help:
      'Requests sent to providers, as they count them, by cause: `call` (of an application), `connect`, `sync`, ' +
      '`channel`, `check` (of credentials).',
    labels: { provider: 'registered', cause: ['call', 'connect', 'sync', 'channel', 'check'] },
  },
  calendar_background_budget_used_ratio: {
    kind: 'gauge',
    help:
      'Requests of the last 24 hours per request that a project may send in a day; of the project with the highest ' +
      'ratio. Without a daily limit 0. The same in every worker.',
    labels: { provider: 'registered' },
    isSampled: true,
  },
  calendar_look_longest_seconds: {
    kind: 'gauge',
    help:
      'Time since the last successful read of the calendar with a live channel that waits longest, failing calendars ' +
      'left out. The same in every worker.',
    labels: { provider: 'registered' },
    isSampled: true,
  },
  calendar_looks_near_ratio: {
    kind: 'gauge',
    help:
      'Part of the calendars with a live channel that are read at least every nine minutes: lost notifications are ' +
      'found within ten. 1 without such calendars. The same in every worker.',
    labels: { provider: 'registered' },
    isSampled: true,
  },
  calendar_syncs_total: {
    kind: 'counter',
    help: 'Calendar syncs, by outcome: `changed`, `unchanged`, `failed`.',
    labels: { provider: 'registered', outcome: ['changed', 'unchanged', 'failed'] },
  },
  calendar_syncs_due: {
    kind: 'gauge',
    help: 'Calendar syncs that are due and not running, at most 20,000. The same in every worker.',
    labels: {},
    isSampled: true,
  },
  calendar_oldest_due_sync_age_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest due calendar sync. The same in every worker.',
    labels: {},
    isSampled: true,
  },
  calendar_change_lag_seconds: {
    kind: 'histogram',
    help:
      'Time from the notification of a change (or the due time of the sync) to its delivery at the first ' + 'attempt.',
    labels: { provider: 'registered' },
    hasExemplars: true,
    buckets: LAG_SECONDS,
  },
  calendar_delivery_attempt_duration_seconds: {
    kind: 'histogram',
    help:
      'Duration of delivery attempts, by outcome: `delivered`, `client_error` (4xx), `server_error` (5xx), ' +
      '`redirected`, `timeout`, `unreachable`, `blocked`, `gone`, `interrupted` (by a shutdown), `internal` ' +
      '(an error of this service).',
    labels: {
      outcome: ATTEMPT_OUTCOMES,
    },
    hasExemplars: true,
    buckets: CALL_SECONDS,
  },
  calendar_messages: {
    kind: 'gauge',
    help: 'Pending messages: `due` now, `scheduled` for later. The same in every worker.',
    labels: { state: ['due', 'scheduled'] },
    isSampled: true,
  },
  calendar_oldest_due_message_age_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest due message. The same in every worker.',
    labels: {},
    isSampled: true,
  },
  calendar_endpoints_disabled: {
    kind: 'gauge',
    help: 'Webhook endpoints and subscriptions that were disabled after failing for too long.',
    labels: {},
    isSampled: true,
  },
  calendar_outbox_oldest_age_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest account event that is not yet a message. The same in every worker.',
    labels: {},
    isSampled: true,
  },

  calendar_queue_jobs: {
    kind: 'gauge',
    help: 'Jobs by queue and state (`waiting`, `active`, `delayed`, `failed`). The same in every worker.',
    labels: { queue: QUEUES, state: ['waiting', 'active', 'delayed', 'failed'] },
    isSampled: true,
  },
  calendar_queue_oldest_job_age_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest waiting job. The same in every worker.',
    labels: { queue: QUEUES },
    isSampled: true,
  },
  calendar_job_duration_seconds: {
    kind: 'histogram',
    help: 'Duration of queue jobs and periodic tasks, by outcome: `ok`, `failed`.',
    labels: { task: TASKS, outcome: ['ok', 'failed'] },
    buckets: CALL_SECONDS,
  },
  calendar_database_connections: {
    kind: 'gauge',
    help: 'Connections of this process: `used`, `idle`, and callers `waiting` for one.',
    labels: { state: ['used', 'idle', 'waiting'] },
  },
  calendar_database_connections_max: { kind: 'gauge', help: 'Maximum connections of this process.', labels: {} },
  calendar_database_statement_duration_seconds: {
    kind: 'histogram',
    help: 'Duration of statements, including the wait for a connection: `ok`, `failed`, `unavailable`.',
    labels: { outcome: ['ok', 'failed', 'unavailable'] },
    buckets: STATEMENT_SECONDS,
  },
  calendar_collector_failed: {
    kind: 'gauge',
    help:
      '1 while the worker cannot read the figures from the database (those that are "the same in every ' + 'worker").',
    labels: {},
    isSampled: true,
  },
  calendar_build_info: {
    kind: 'gauge',
    help: 'Always 1; `component`: `api`, `worker`.',
    labels: { version: 'registered', component: ['api', 'worker'] },
  },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof CATALOGUE;

export function metricsTable(): string {
  const rows = Object.entries<MetricDefinition>(CATALOGUE).map(([name, { kind, labels, help }]) => {
    const named = Object.keys(labels)
      .map((label) => `\`${label}\``)
      .join(', ');
    return [`\`${name}\``, kind, named === '' ? 'none' : named, help];
  });
  return [['Metric', 'Kind', 'Labels', 'Meaning'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
}
