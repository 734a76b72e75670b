/** What is measured, minute by minute (`0+60x20`: sixty more in each of twenty), and whether an alert comes of it. */
export interface AlertCase {
  alert: string;
  severity: 'critical' | 'warning';
  when: string;
  series: Record<string, string>;
  /** Since the start, e.g. `15m`. */
  at: string;
  /** Labels that it fires with, besides its severity; null: it is silent. */
  fires: string | null;
}

type Case = Pick<AlertCase, 'when' | 'series' | 'at' | 'fires'> & { severity?: AlertCase['severity'] };

/** All of one alert. */
function cases(alert: string, severity: AlertCase['severity'], ...list: Case[]): AlertCase[] {
  return list.map((one) => ({ alert, severity, ...one }));
}

const IN_N = 'namespace="n"';
const HTTP = 'http_server_request_duration_seconds';
const EVENTS = `${HTTP}_count{namespace="n",http_request_method="GET",http_route="/api/v1/events/:endUserAccountId/:calendarId"`;
const READ =
  '{namespace="n",http_request_method="GET",http_route="/api/v1/endUserAccounts",http_response_status_code="200"';
const CALLS = 'calendar_provider_call_duration_seconds_count{namespace="n",provider="GOOGLE",operation="events.list"';
const REFRESHES = 'calendar_token_refreshes_total{namespace="n",provider="GOOGLE"';
const BUDGET = 'calendar_background_budget_used_ratio{namespace="n",job="worker",instance="w",provider="GOOGLE"';
const LONGEST = 'calendar_look_longest_seconds{namespace="n",job="worker",instance="w",provider="GOOGLE"';
const SYNCS = 'calendar_syncs_total{namespace="n",provider="GOOGLE"';
const ATTEMPTS = 'calendar_delivery_attempt_duration_seconds_count{namespace="n"';
const STATEMENTS = 'calendar_database_statement_duration_seconds_count{namespace="n"';
const CHANNELS = 'calendar_channels{namespace="n",provider="GOOGLE"';
const SECRET = 'calendar_oauth_client_secret_expires_in_seconds{namespace="n",provider="GOOGLE"';
const DAY = 86_400;
const API = 'calendar_build_info{namespace="n",job="api",instance="a",component="api",version="1"}';
const WORKER = 'calendar_build_info{namespace="n",job="worker",instance="w",component="worker",version="1"}';
const ofCluster = (series: string, cluster: string) => series.replace('{', `{cluster="${cluster}",`);
const GOOGLE = 'namespace="n",provider="GOOGLE"';

const budgets = [
  ...cases(
    'CalendarApiAvailability',
    'critical',
    {
      when: 'one of ten requests is answered with 500',
      series: {
        [`${EVENTS},http_response_status_code="200"}`]: '0+54x20',
        [`${EVENTS},http_response_status_code="500"}`]: '0+6x20',
      },
      at: '15m',
      fires: IN_N,
    },
    {
      when: 'requests are turned away before their route is known',
      series: {
        [`${EVENTS},http_response_status_code="200"}`]: '0+54x20',
        [`${HTTP}_count{namespace="n",http_request_method="GET",http_route="*",http_response_status_code="503"}`]:
          '0+6x20',
      },
      at: '15m',
      fires: IN_N,
    },
    {
      when: 'a provider fails: 502 and 504 are its own',
      series: {
        [`${EVENTS},http_response_status_code="200"}`]: '0+6x20',
        [`${EVENTS},http_response_status_code="502"}`]: '0+54x20',
        [`${EVENTS},http_response_status_code="504"}`]: '0+54x20',
      },
      at: '15m',
      fires: null,
    },
    {
      when: 'operators and notifications get 503, applications do not',
      series: {
        [`${EVENTS},http_response_status_code="200"}`]: '0+54x20',
        [`${HTTP}_count{namespace="n",http_request_method="GET",http_route="/api/operator/v1/overview",http_response_status_code="503"}`]:
          '0+54x20',
        [`${HTTP}_count{namespace="n",http_request_method="POST",http_route="/api/v1/providers/google/notifications",http_response_status_code="503"}`]:
          '0+54x20',
      },
      at: '15m',
      fires: null,
    },
    {
      when: 'three bad minutes end an hour of good ones',
      series: {
        [`${EVENTS},http_response_status_code="200"}`]: '0+600x90',
        [`${EVENTS},http_response_status_code="500"}`]: '0x80 0+18x3 54x10',
      },
      at: '84m',
      fires: null,
    },
    {
      when: 'no API process is left',
      series: { [`${EVENTS},http_response_status_code="200"}`]: '0+600x60 stale', [API]: '1x60 stale' },
      at: '70m',
      fires: IN_N,
    },
    {
      when: 'an API process is replaced, and its counters with it',
      series: {
        [`${EVENTS},http_response_status_code="200"}`]: '0+600x60 stale',
        [API]: '1x60 stale',
        [API.replace('"a"', '"b"')]: '_x61 1x20',
      },
      at: '70m',
      fires: null,
    },
    {
      when: 'there is hardly any traffic, and one request fails',
      series: {
        [`${EVENTS},http_response_status_code="200"}`]: '0+1x60',
        [`${EVENTS},http_response_status_code="500"}`]: '0x50 1x10',
      },
      at: '54m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarApiAvailability',
    'warning',
    {
      when: 'four of a thousand fail',
      series: {
        [`${EVENTS},http_response_status_code="200"}`]: '0+996x40',
        [`${EVENTS},http_response_status_code="500"}`]: '0+4x40',
      },
      at: '30m',
      fires: IN_N,
    },
    {
      when: 'one of two thousand fails',
      series: {
        [`${EVENTS},http_response_status_code="200"}`]: '0+1999x40',
        [`${EVENTS},http_response_status_code="500"}`]: '0+1x40',
      },
      at: '30m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarApiLatency',
    'critical',
    {
      when: 'half of the reads take long',
      series: { [`${HTTP}_count${READ}}`]: '0+60x20', [`${HTTP}_bucket${READ},le="0.1"}`]: '0+30x20' },
      at: '15m',
      fires: IN_N,
    },
    {
      when: 'one of twenty takes long',
      series: { [`${HTTP}_count${READ}}`]: '0+60x20', [`${HTTP}_bucket${READ},le="0.1"}`]: '0+57x20' },
      at: '15m',
      fires: null,
    },
    {
      when: 'reads from providers take long',
      series: {
        [`${HTTP}_count${READ}}`]: '0+60x20',
        [`${HTTP}_bucket${READ},le="0.1"}`]: '0+60x20',
        [`${EVENTS},http_response_status_code="200"}`]: '0+60x20',
        [`${EVENTS.replace('_count', '_bucket')},http_response_status_code="200",le="0.1"}`]: '0x20',
      },
      at: '15m',
      fires: null,
    },
  ),
  ...cases('CalendarApiLatency', 'warning', {
    when: 'one of twenty takes long',
    series: { [`${HTTP}_count${READ}}`]: '0+60x40', [`${HTTP}_bucket${READ},le="0.1"}`]: '0+57x40' },
    at: '30m',
    fires: IN_N,
  }),
  ...cases(
    'CalendarChangeLag',
    'critical',
    {
      when: 'a third of the changes is late',
      series: {
        [`calendar_change_lag_seconds_count{${GOOGLE}}`]: '0+30x20',
        [`calendar_change_lag_seconds_bucket{${GOOGLE},le="5"}`]: '0+20x20',
      },
      at: '15m',
      fires: IN_N,
    },
    {
      when: 'none is late, and Prometheus 3 has written the bound',
      series: {
        [`calendar_change_lag_seconds_count{${GOOGLE}}`]: '0+30x20',
        [`calendar_change_lag_seconds_bucket{${GOOGLE},le="5.0"}`]: '0+30x20',
      },
      at: '15m',
      fires: null,
    },
  ),
  ...cases('CalendarChangeLag', 'warning', {
    when: 'one of twenty is late',
    series: {
      [`calendar_change_lag_seconds_count{${GOOGLE}}`]: '0+60x40',
      [`calendar_change_lag_seconds_bucket{${GOOGLE},le="5"}`]: '0+57x40',
    },
    at: '30m',
    fires: IN_N,
  }),
  ...cases(
    'CalendarDeliveryAttempts',
    'critical',
    {
      when: 'one of twenty is broken off',
      series: { [`${ATTEMPTS},outcome="delivered"}`]: '0+57x20', [`${ATTEMPTS},outcome="interrupted"}`]: '0+3x20' },
      at: '15m',
      fires: IN_N,
    },
    {
      when: 'one of twenty ends in a fault of ours',
      series: { [`${ATTEMPTS},outcome="delivered"}`]: '0+57x20', [`${ATTEMPTS},outcome="internal"}`]: '0+3x20' },
      at: '15m',
      fires: IN_N,
    },
    {
      when: 'receivers fail',
      series: {
        [`${ATTEMPTS},outcome="delivered"}`]: '0+57x20',
        [`${ATTEMPTS},outcome="server_error"}`]: '0+57x20',
        [`${ATTEMPTS},outcome="unreachable"}`]: '0+57x20',
      },
      at: '15m',
      fires: null,
    },
  ),
  ...cases('CalendarDeliveryAttempts', 'warning', {
    when: 'four of a thousand are broken off',
    series: { [`${ATTEMPTS},outcome="delivered"}`]: '0+996x40', [`${ATTEMPTS},outcome="interrupted"}`]: '0+4x40' },
    at: '30m',
    fires: IN_N,
  }),
  ...cases(
    'CalendarCredentialChecks',
    'critical',
    {
      when: 'checks are two minutes late for a while',
      series: { 'calendar_credential_check_overdue_seconds{namespace="n",instance="w"}': '120x30' },
      at: '15m',
      fires: IN_N,
    },
    {
      when: 'no worker shows it any more',
      series: {
        [WORKER]: '1x60 stale',
        'calendar_credential_check_overdue_seconds{namespace="n",instance="w"}': '2x60 stale',
      },
      at: '80m',
      fires: IN_N,
    },
    {
      when: 'the installation was removed a day ago',
      series: {
        [WORKER]: '1x10 stale',
        'calendar_credential_check_overdue_seconds{namespace="n",instance="w"}': '2x10 stale',
      },
      at: '25h',
      fires: null,
    },
    {
      when: 'they are in time',
      series: { 'calendar_credential_check_overdue_seconds{namespace="n",instance="w"}': '20x30' },
      at: '15m',
      fires: null,
    },
    {
      when: 'they were late for a minute, after hours in time',
      series: { 'calendar_credential_check_overdue_seconds{namespace="n",instance="w"}': '20x120 120x1 20x10' },
      at: '123m',
      fires: null,
    },
  ),
  ...cases('CalendarCredentialChecks', 'warning', {
    when: 'checks are two minutes late for a while',
    series: { 'calendar_credential_check_overdue_seconds{namespace="n",instance="w"}': '120x40' },
    at: '30m',
    fires: IN_N,
  }),
  ...cases(
    'CalendarDeliveryFreshness',
    'critical',
    {
      when: 'the oldest message is late',
      series: { 'calendar_oldest_due_message_age_seconds{namespace="n",instance="w"}': '0+60x30' },
      at: '15m',
      fires: IN_N,
    },
    {
      when: 'no worker shows it any more',
      series: {
        [WORKER]: '1x60 stale',
        'calendar_oldest_due_message_age_seconds{namespace="n",instance="w"}': '2x60 stale',
      },
      at: '80m',
      fires: IN_N,
    },
    {
      when: 'messages are taken',
      series: { 'calendar_oldest_due_message_age_seconds{namespace="n",instance="w"}': '2x30' },
      at: '15m',
      fires: null,
    },
  ),
  ...cases('CalendarDeliveryFreshness', 'warning', {
    when: 'the oldest message is late',
    series: { 'calendar_oldest_due_message_age_seconds{namespace="n",instance="w"}': '0+60x40' },
    at: '30m',
    fires: IN_N,
  }),
  ...cases(
    'CalendarSyncFreshness',
    'critical',
    {
      when: 'the oldest look is late',
      series: { 'calendar_oldest_due_sync_age_seconds{namespace="n",instance="w"}': '0+60x30' },
      at: '15m',
      fires: IN_N,
    },
    {
      when: 'no worker shows it any more',
      series: {
        [WORKER]: '1x60 stale',
        'calendar_oldest_due_sync_age_seconds{namespace="n",instance="w"}': '2x60 stale',
      },
      at: '80m',
      fires: IN_N,
    },
    {
      when: 'looks are made',
      series: { 'calendar_oldest_due_sync_age_seconds{namespace="n",instance="w"}': '2x30' },
      at: '15m',
      fires: null,
    },
  ),
  ...cases('CalendarSyncFreshness', 'warning', {
    when: 'the oldest look is late',
    series: { 'calendar_oldest_due_sync_age_seconds{namespace="n",instance="w"}': '0+60x40' },
    at: '30m',
    fires: IN_N,
  }),
];

const processes = [
  ...cases(
    'CalendarApiDown',
    'critical',
    { when: 'its series end', series: { [API]: '1x10 stale', [WORKER]: '1x30' }, at: '15m', fires: IN_N },
    { when: 'the worker is gone', series: { [API]: '1x30', [WORKER]: '1x10 stale' }, at: '15m', fires: null },
    {
      when: 'it lives in another cluster, in a namespace of the same name',
      series: { [ofCluster(API, 'a')]: '1x10 stale', [ofCluster(API, 'b')]: '1x30' },
      at: '15m',
      fires: 'cluster="a",namespace="n"',
    },
  ),
  ...cases(
    'CalendarWorkerDown',
    'critical',
    { when: 'its series end', series: { [API]: '1x30', [WORKER]: '1x10 stale' }, at: '15m', fires: IN_N },
    { when: 'there never was one', series: { [API]: '1x30' }, at: '15m', fires: IN_N },
    {
      when: 'one of two is left',
      series: { [API]: '1x30', [WORKER]: '1x10 stale', [WORKER.replace('"w"', '"v"')]: '1x30' },
      at: '15m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarTargetDown',
    'warning',
    {
      when: 'a process of ours does not answer',
      series: { 'up{namespace="n",job="worker",instance="w"}': '1x10 0x20', [WORKER]: '1x10 stale' },
      at: '20m',
      fires: 'job="worker",instance="w"',
    },
    {
      when: 'somebody else’s does not answer',
      series: {
        'up{job="other",instance="o"}': '1x10 0x20',
        'up{namespace="n",job="worker",instance="w"}': '1x30',
        [WORKER]: '1x30',
      },
      at: '20m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarProcessRestarts',
    'warning',
    {
      when: 'it started four times',
      series: {
        'process_start_time_seconds{namespace="n",job="worker",instance="w"}': '1x5 2x5 3x5 4x5',
        [WORKER]: '1x30',
      },
      at: '20m',
      fires: 'job="worker",instance="w"',
    },
    {
      when: 'it started twice, and somebody else’s often',
      series: {
        'process_start_time_seconds{namespace="n",job="worker",instance="w"}': '1x10 2x10',
        'process_start_time_seconds{namespace="n",job="other",instance="o"}': '0+1x30',
        [WORKER]: '1x30',
      },
      at: '20m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarEventLoopLag',
    'warning',
    {
      when: 'timers are half a second late',
      series: {
        'nodejs_eventloop_lag_p99_seconds{namespace="n",job="worker",instance="w"}': '0.5x30',
        [WORKER]: '1x30',
      },
      at: '10m',
      fires: 'instance="w"',
    },
    {
      when: 'somebody else’s are, and ours were for two minutes',
      series: {
        'nodejs_eventloop_lag_p99_seconds{namespace="n",job="worker",instance="w"}': '0.01x10 0.5x2 0.01x20',
        'nodejs_eventloop_lag_p99_seconds{namespace="n",job="other",instance="o"}': '2x30',
        [WORKER]: '1x30',
      },
      at: '13m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarRequestsShed',
    'warning',
    {
      when: 'there is too much to do',
      series: { 'calendar_requests_shed_total{namespace="n",reason="overload"}': '0+60x20' },
      at: '10m',
      fires: IN_N,
    },
    {
      when: 'a key is at its limit, an instance drains',
      series: {
        'calendar_requests_shed_total{namespace="n",reason="rate_limit"}': '0+600x20',
        'calendar_requests_shed_total{namespace="n",reason="draining"}': '0+60x20',
      },
      at: '10m',
      fires: null,
    },
  ),
];

const database = [
  ...cases(
    'CalendarDatabaseUnavailable',
    'critical',
    {
      when: 'statements find none',
      series: {
        [`${STATEMENTS},outcome="ok"}`]: '0+600x5 3000x10',
        [`${STATEMENTS},outcome="unavailable"}`]: '0x5 0+60x10',
      },
      at: '9m',
      fires: IN_N,
    },
    {
      when: 'one of a handful finds none',
      series: { [`${STATEMENTS},outcome="ok"}`]: '0+2x20', [`${STATEMENTS},outcome="unavailable"}`]: '0+1x20' },
      at: '9m',
      fires: null,
    },
    {
      when: 'statements fail for what they ask',
      series: { [`${STATEMENTS},outcome="ok"}`]: '0+600x10', [`${STATEMENTS},outcome="failed"}`]: '0+600x10' },
      at: '9m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarDatabasePoolSaturated',
    'warning',
    {
      when: 'somebody always waits',
      series: { 'calendar_database_connections{namespace="n",instance="a",state="waiting"}': '3x20' },
      at: '10m',
      fires: 'instance="a"',
    },
    {
      when: 'somebody waits now and then',
      series: {
        'calendar_database_connections{namespace="n",instance="a",state="waiting"}': '3 0 3 0 3 0 3 0 3 0 3 0 3',
      },
      at: '10m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarCollectorFailed',
    'warning',
    {
      when: 'they cannot be read',
      series: { 'calendar_collector_failed{namespace="n",instance="w"}': '0x2 1x20' },
      at: '10m',
      fires: 'instance="w"',
    },
    {
      when: 'they could not for a minute',
      series: { 'calendar_collector_failed{namespace="n",instance="w"}': '0x8 1 0x20' },
      at: '10m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarQueueStuck',
    'warning',
    {
      when: 'nobody takes the jobs of one',
      series: {
        'calendar_queue_oldest_job_age_seconds{namespace="n",queue="webhook_deliveries"}': '0+60x20',
        'calendar_queue_oldest_job_age_seconds{namespace="n",queue="housekeeping"}': '0x20',
      },
      at: '10m',
      fires: 'queue="webhook_deliveries"',
    },
    {
      when: 'jobs wait a minute',
      series: { 'calendar_queue_oldest_job_age_seconds{namespace="n",queue="webhook_deliveries"}': '60x20' },
      at: '10m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarJobsFailing',
    'warning',
    {
      when: 'half of the runs of one fail',
      series: {
        'calendar_job_duration_seconds_count{namespace="n",task="housekeeping",outcome="ok"}': '0+1x40',
        'calendar_job_duration_seconds_count{namespace="n",task="housekeeping",outcome="failed"}': '0+1x40',
      },
      at: '25m',
      fires: 'task="housekeeping"',
    },
    {
      when: 'one of ten fails',
      series: {
        'calendar_job_duration_seconds_count{namespace="n",task="housekeeping",outcome="ok"}': '0+9x40',
        'calendar_job_duration_seconds_count{namespace="n",task="housekeeping",outcome="failed"}': '0+1x40',
      },
      at: '25m',
      fires: null,
    },
  ),
];

const providers = [
  ...cases(
    'CalendarProviderDown',
    'critical',
    {
      when: 'all that is asked of it fails, which is little',
      series: {
        [`${CALLS},outcome="ok"}`]: '0+60x5 300x20',
        [`${CALLS},outcome="unreachable"}`]: '0x5 0+2x20',
      },
      at: '15m',
      fires: GOOGLE,
    },
    {
      when: 'whoever asks leaves first',
      series: { [`${CALLS},outcome="aborted"}`]: '0+2x30', [`${CALLS},outcome="timeout"}`]: '0+2x30' },
      at: '15m',
      fires: GOOGLE,
    },
    {
      when: 'some of it is answered, were it refused',
      series: { [`${CALLS},outcome="client_error"}`]: '0+1x30', [`${CALLS},outcome="timeout"}`]: '0+60x30' },
      at: '15m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarProviderErrors',
    'warning',
    {
      when: 'one of five fails',
      series: { [`${CALLS},outcome="ok"}`]: '0+48x40', [`${CALLS},outcome="server_error"}`]: '0+12x40' },
      at: '25m',
      fires: GOOGLE,
    },
    {
      when: 'it refuses, which is an answer',
      series: {
        [`${CALLS},outcome="ok"}`]: '0+48x40',
        [`${CALLS},outcome="client_error"}`]: '0+48x40',
        [`${CALLS},outcome="server_error"}`]: '0+1x40',
      },
      at: '25m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarProviderRateLimits',
    'warning',
    {
      when: 'one of ten is too many',
      series: { [`${CALLS},outcome="ok"}`]: '0+54x40', [`${CALLS},outcome="rate_limited"}`]: '0+6x40' },
      at: '30m',
      fires: GOOGLE,
    },
    {
      when: 'one of a hundred is',
      series: { [`${CALLS},outcome="ok"}`]: '0+99x40', [`${CALLS},outcome="rate_limited"}`]: '0+1x40' },
      at: '30m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarRequestBudget',
    'warning',
    { when: '91 % are used', series: { [`${BUDGET}}`]: '0.91x30' }, at: '20m', fires: GOOGLE },
    { when: '88 % are used', series: { [`${BUDGET}}`]: '0.88x30' }, at: '20m', fires: null },
    { when: 'all are used', severity: 'critical', series: { [`${BUDGET}}`]: '1.01x30' }, at: '20m', fires: GOOGLE },
    { when: '91 % are used', severity: 'critical', series: { [`${BUDGET}}`]: '0.91x30' }, at: '20m', fires: null },
  ),
  ...cases(
    'CalendarReadsTooRare',
    'warning',
    { when: 'half an hour has passed', series: { [`${LONGEST}}`]: '1900x30' }, at: '20m', fires: GOOGLE },
    { when: 'nine minutes have passed', series: { [`${LONGEST}}`]: '540x30' }, at: '20m', fires: null },
    {
      when: 'an hour has passed',
      severity: 'critical',
      series: { [`${LONGEST}}`]: '3700x30' },
      at: '20m',
      fires: GOOGLE,
    },
    {
      when: 'half an hour has passed',
      severity: 'critical',
      series: { [`${LONGEST}}`]: '1900x30' },
      at: '20m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarTokenRefreshesFailing',
    'critical',
    {
      when: 'half of them come to nothing',
      series: { [`${REFRESHES},outcome="refreshed"}`]: '0+6x40', [`${REFRESHES},outcome="failed"}`]: '0+6x40' },
      at: '25m',
      fires: GOOGLE,
    },
    {
      when: 'one of two does, once',
      series: { [`${REFRESHES},outcome="refreshed"}`]: '0x10 1x30', [`${REFRESHES},outcome="failed"}`]: '0x10 1x30' },
      at: '22m',
      fires: null,
    },
    {
      when: 'users have taken access away',
      series: { [`${REFRESHES},outcome="refreshed"}`]: '0+6x40', [`${REFRESHES},outcome="rejected"}`]: '0+6x40' },
      at: '25m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarMassExpiryBreaker',
    'critical',
    {
      when: 'one client is held',
      series: { [`calendar_mass_expiry_breakers_tripped{${GOOGLE}}`]: '0x5 1x10' },
      at: '8m',
      fires: GOOGLE,
    },
    {
      when: 'none is',
      series: { [`calendar_mass_expiry_breakers_tripped{${GOOGLE}}`]: '0x20' },
      at: '8m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarOAuthClientSecretExpiring',
    'warning',
    {
      when: 'a secret ends in 29 days',
      series: { [`${SECRET}}`]: `${29 * DAY}x10` },
      at: '5m',
      fires: `${GOOGLE},within="30d"`,
    },
    {
      when: 'it ends in 13 days',
      series: { [`${SECRET}}`]: `${13 * DAY}x10` },
      at: '5m',
      fires: `${GOOGLE},within="14d"`,
    },
    { when: 'it ends in 31 days', series: { [`${SECRET}}`]: `${31 * DAY}x10` }, at: '5m', fires: null },
    { when: 'it ends in two days', series: { [`${SECRET}}`]: `${2 * DAY}x10` }, at: '5m', fires: null },
  ),
  ...cases(
    'CalendarOAuthClientSecretExpiring',
    'critical',
    {
      when: 'a secret ends in two days',
      series: { [`${SECRET}}`]: `${2 * DAY}x10` },
      at: '5m',
      fires: `${GOOGLE},within="3d"`,
    },
    { when: 'it ended', series: { [`${SECRET}}`]: `-${DAY}x10` }, at: '5m', fires: GOOGLE },
    { when: 'it ends in four days', series: { [`${SECRET}}`]: `${4 * DAY}x10` }, at: '5m', fires: null },
  ),
];

const changes = [
  ...cases(
    'CalendarChannelMismatch',
    'warning',
    {
      when: 'a tenth is missing',
      series: { [`${CHANNELS},state="wanted"}`]: '100x40', [`${CHANNELS},state="actual"}`]: '90x40' },
      at: '30m',
      fires: GOOGLE,
    },
    {
      when: 'a tenth is too much',
      series: { [`${CHANNELS},state="wanted"}`]: '100x40', [`${CHANNELS},state="actual"}`]: '110x40' },
      at: '30m',
      fires: GOOGLE,
    },
    {
      when: 'one is just being opened, one of a thousand is missing',
      series: {
        [`${CHANNELS},state="wanted"}`]: '1x40',
        [`${CHANNELS},state="actual"}`]: '0x40',
        [`${CHANNELS.replace('GOOGLE', 'MICROSOFT')},state="wanted"}`]: '1000x40',
        [`${CHANNELS.replace('GOOGLE', 'MICROSOFT')},state="actual"}`]: '999x40',
      },
      at: '30m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarSyncsFailing',
    'warning',
    {
      when: 'half of them fail',
      series: { [`${SYNCS},outcome="unchanged"}`]: '0+6x40', [`${SYNCS},outcome="failed"}`]: '0+6x40' },
      at: '25m',
      fires: GOOGLE,
    },
    {
      when: 'one of ten fails',
      series: { [`${SYNCS},outcome="changed"}`]: '0+9x40', [`${SYNCS},outcome="failed"}`]: '0+1x40' },
      at: '25m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarOldestDueSync',
    'warning',
    {
      when: 'nobody makes it',
      series: { 'calendar_oldest_due_sync_age_seconds{namespace="n",instance="w"}': '0+60x40' },
      at: '20m',
      fires: IN_N,
    },
    {
      when: 'it waits for four minutes',
      series: { 'calendar_oldest_due_sync_age_seconds{namespace="n",instance="w"}': '240x40' },
      at: '20m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarOldestDueMessage',
    'warning',
    {
      when: 'nobody takes it',
      series: { 'calendar_oldest_due_message_age_seconds{namespace="n",instance="w"}': '0+60x40' },
      at: '20m',
      fires: IN_N,
    },
    {
      when: 'it waits for ten minutes',
      series: { 'calendar_oldest_due_message_age_seconds{namespace="n",instance="w"}': '600x40' },
      at: '20m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarDeliveriesFailing',
    'warning',
    {
      when: 'nothing gets out',
      series: { [`${ATTEMPTS},outcome="delivered"}`]: '0+1x40', [`${ATTEMPTS},outcome="unreachable"}`]: '0+6x40' },
      at: '25m',
      fires: IN_N,
    },
    {
      when: 'one of three receivers is down',
      series: { [`${ATTEMPTS},outcome="delivered"}`]: '0+8x40', [`${ATTEMPTS},outcome="server_error"}`]: '0+4x40' },
      at: '25m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarEndpointsDisabled',
    'warning',
    {
      when: 'there is one more than before',
      series: { 'calendar_endpoints_disabled{namespace="n",instance="w"}': '2x30 3x30' },
      at: '40m',
      fires: IN_N,
    },
    {
      when: 'there is one more than before, and a new worker counts',
      series: {
        'calendar_endpoints_disabled{namespace="n",instance="w"}': '2x30 3x5 stale',
        'calendar_endpoints_disabled{namespace="n",instance="v"}': '_x35 3x30',
      },
      at: '50m',
      fires: IN_N,
    },
    {
      when: 'as many as for hours',
      series: { 'calendar_endpoints_disabled{namespace="n",instance="w"}': '2x30 3x400' },
      at: '410m',
      fires: null,
    },
  ),
  ...cases(
    'CalendarOutboxStuck',
    'critical',
    {
      when: 'nobody relays',
      series: { 'calendar_outbox_oldest_age_seconds{namespace="n",instance="w"}': '0+60x20' },
      at: '12m',
      fires: IN_N,
    },
    {
      when: 'it waits for a minute',
      series: { 'calendar_outbox_oldest_age_seconds{namespace="n",instance="w"}': '60x20' },
      at: '12m',
      fires: null,
    },
  ),
];

export const ALERT_CASES: AlertCase[] = [...budgets, ...processes, ...database, ...providers, ...changes];
