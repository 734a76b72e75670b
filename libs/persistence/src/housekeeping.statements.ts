import { TALLY_WINDOW } from './repositories/grants.statements.js';
import { REFUSAL_WINDOW } from './repositories/limits.statements.js';
import { FAILURES_KEPT } from './repositories/operator-login-failures.statements.js';

/** Rows per statement: each stays far below the statement timeout and holds its locks briefly. */
export const BATCH = 2_000;

const RELAYED_KEPT = "interval '7 days'";
/** What nobody fetched in this time is of no use to anybody any more. */
const UNRELAYED_KEPT = "interval '30 days'";
/** How long the log of deliveries reaches back, and what failed can be recovered. */
const DONE_MESSAGES_KEPT = "interval '30 days'";

/** Passes by rows that somebody holds: two processes take different ones. */
const someOf = (table: string, key: string, condition: string) => `
  delete from ${table} where (${key}) in
         (select ${key} from ${table} where ${condition} limit ${BATCH} for update skip locked)`;

/** What has expired, some at a time. Where time is that of the domain, $1 is the moment up to which it has. */
export const EXPIRED = {
  idempotencyRecords: someOf('idempotency_record', 'id', 'expires_at <= clock_timestamp()'),
  syncSnapshots: someOf('sync_snapshot', 'id', 'used_at <= $1'),
  auditEntries: someOf('audit_entry', 'id', 'recorded_at <= $1'),
  /** An arrival in the past is the same as no row. */
  providerBudgets: someOf(
    'provider_budget',
    'application_id, account_id',
    'arrival_ms < (extract(epoch from clock_timestamp()) - 3600) * 1000',
  ),
  providerSlots: someOf(
    'provider_slot',
    'application_id, account_id, slot',
    "leased_until < clock_timestamp() - interval '1 hour'",
  ),
  oauthAttempts: someOf('oauth_attempt', 'id', 'expires_at <= $1'),
  relayedMessages: someOf('outbox', 'id', `relayed_at <= clock_timestamp() - ${RELAYED_KEPT}`),
  unrelayedMessages: someOf(
    'outbox',
    'id',
    `relayed_at is null and created_at <= clock_timestamp() - ${UNRELAYED_KEPT}`,
  ),
  /** As long as a client is held, its suspects are known by theirs. */
  grantTallies: someOf(
    'grant_tally',
    'provider_type, client_id, account_id',
    `judged_at <= coalesce((select held_since from grant_hold h where h.provider_type = grant_tally.provider_type
                               and h.client_id = grant_tally.client_id), clock_timestamp()) - ${TALLY_WINDOW}`,
  ),
  connectRefusals: someOf('connect_refusal', 'id', `refused_at <= clock_timestamp() - ${REFUSAL_WINDOW}`),
  webhookMessages: someOf(
    'webhook_message',
    'id',
    `wake_at is null and created_at <= clock_timestamp() - ${DONE_MESSAGES_KEPT}`,
  ),
  /** The last one says since when the account has been what it is. */
  statusChanges: someOf(
    'account_status_change',
    'id',
    `changed_at <= $1 and exists (select from account_status_change later
       where later.account_id = account_status_change.account_id
         and later.changed_at > account_status_change.changed_at)`,
  ),
  signInTests: someOf('sign_in_test', 'id', 'created_at <= $1'),
  requestRecords: someOf('request_record', 'id', 'started_at <= $1'),
  operatorSessions: someOf('operator_session', 'secret_hash', 'least(idle_until, ends_at) <= $1'),
  operatorInvitations: someOf('operator_invitation', 'id', 'expires_at <= $1'),
  operatorSignOns: someOf('operator_sign_on', 'id', 'expires_at <= $1'),
  operatorLoginFailures: someOf(
    'operator_login_failure',
    'subject_hash',
    `last_at <= $1::timestamptz - ${FAILURES_KEPT}`,
  ),
};
