import { TALLY_WINDOW } from './repositories/grants.statements.js';
import { FAILURE_WINDOW } from './repositories/limits.statements.js';
import { FAILURES_KEPT } from './repositories/operator-sign-in-failures.statements.js';

/** Rows per statement: keeps it far below the statement timeout and its locks short. */
export const BATCH = 2_000;

const RELAYED_KEPT = "interval '7 days'";
const UNRELAYED_KEPT = "interval '30 days'";
/** Retention of the delivery log, and how long failed messages can be recovered. */
const DONE_MESSAGES_KEPT = "interval '30 days'";

/** Raw: skips locked rows, so that concurrent processes delete different ones. */
const someOf = (table: string, key: string, condition: string) => `
  delete from ${table} where (${key}) in
         (select ${key} from ${table} where ${condition} limit ${BATCH} for update skip locked)`;

/** Rows in use are dated by several machines: the database decides what has expired. $1: days that rows are kept. */
const KEPT_UNTIL = 'clock_timestamp() - make_interval(days => $1)';

export const EXPIRED = {
  idempotencyRecords: someOf('idempotency_record', 'id', 'expires_at <= clock_timestamp()'),
  syncSnapshots: someOf('sync_snapshot', 'id', `used_at <= ${KEPT_UNTIL}`),
  auditEntries: someOf('audit_entry', 'id', `recorded_at <= ${KEPT_UNTIL}`),
  /** An arrival time in the past equals no row. */
  providerRates: someOf(
    'provider_rate',
    'application_id, account_id',
    'arrival_ms < (extract(epoch from clock_timestamp()) - 3600) * 1000',
  ),
  providerPermits: someOf(
    'provider_permit',
    'application_id, account_id, slot',
    "leased_until < clock_timestamp() - interval '1 hour'",
  ),
  authorizationRequests: someOf('authorization_request', 'id', 'expires_at <= clock_timestamp()'),
  connectLinks: someOf('connect_link', 'id', 'expires_at <= clock_timestamp()'),
  relayedMessages: someOf('outbox', 'id', `relayed_at <= clock_timestamp() - ${RELAYED_KEPT}`),
  unrelayedMessages: someOf(
    'outbox',
    'id',
    `relayed_at is null and created_at <= clock_timestamp() - ${UNRELAYED_KEPT}`,
  ),
  /** While the breaker of a client is tripped, its tallies identify the suspect accounts. */
  refreshStats: someOf(
    'refresh_stats',
    'provider_type, client_id, account_id',
    `decided_at <= coalesce((select breaker_tripped_since from mass_expiry_breaker h where h.provider_type = refresh_stats.provider_type
                               and h.client_id = refresh_stats.client_id), clock_timestamp()) - ${TALLY_WINDOW}`,
  ),
  failedConnects: someOf('failed_connect', 'id', `rejected_at <= clock_timestamp() - ${FAILURE_WINDOW}`),
  webhookMessages: someOf(
    'webhook_message',
    'id',
    `enqueue_at is null and created_at <= clock_timestamp() - ${DONE_MESSAGES_KEPT}`,
  ),
  /** Keeps the last change, which shows since when the account has its status. */
  statusChanges: someOf(
    'account_status_change',
    'id',
    `changed_at <= ${KEPT_UNTIL} and exists (select from account_status_change later
       where later.account_id = account_status_change.account_id
         and later.changed_at > account_status_change.changed_at)`,
  ),
  signInTests: someOf('sign_in_test', 'id', `created_at <= ${KEPT_UNTIL}`),
  requestRecords: someOf('request_record', 'id', `started_at <= ${KEPT_UNTIL}`),
  requestCounts: someOf(
    'provider_request_count',
    'application_id, hour, provider_type, project, cause',
    `hour <= ${KEPT_UNTIL}`,
  ),
  operatorSessions: someOf('operator_session', 'secret_hash', 'least(idle_until, ends_at) <= clock_timestamp()'),
  operatorInvitations: someOf('operator_invitation', 'id', 'expires_at <= clock_timestamp()'),
  operatorSsoRequests: someOf('operator_sso_request', 'id', 'expires_at <= clock_timestamp()'),
  operatorSignInFailures: someOf(
    'operator_sign_in_failure',
    'subject_hash',
    `last_at <= clock_timestamp() - ${FAILURES_KEPT}`,
  ),
};
