import { Migration } from '@mikro-orm/migrations';
import { APPLICATION_ROLE } from '../database/scope.js';

/** Unlogged tables are useless after a crash and written at almost every request: they cost no write-ahead log. */
const SCHEMA = [
  `create table "credential_check" ("end_user_account_id" uuid not null, "application_id" uuid not null, "next_check_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, "accepted_at" timestamptz(3) null, "rejected_version" int null, "first_rejected_at" timestamptz(3) null, "checked_at" timestamptz(3) null, primary key ("end_user_account_id"));`,
  `create index "credential_check_application_id_index" on "credential_check" ("application_id");`,
  `create index "credential_check_next_check_at_index" on "credential_check" ("next_check_at");`,
  `create index "credential_check_rejected" on "credential_check" ("application_id") where "rejected_version" is not null;`,
  `create table "account_status_change" ("id" uuid not null, "application_id" uuid not null, "account_id" uuid not null, "status" text not null, "reason" text null, "changed_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "account_status_change_of_account" on "account_status_change" ("account_id", "changed_at");`,
  `create table "api_key" ("id" text not null, "application_id" uuid not null, "name" text not null, "scopes" text[] not null, "secret_hash" bytea not null, "secret_tail" text not null, "expires_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, "created_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "api_key_application_id_index" on "api_key" ("application_id");`,
  `create table "application" ("id" uuid not null, "name" text not null, "rate_limit_rps" int null, "created_at" timestamptz(3) not null, "enriches_webhooks" boolean not null default false, "polls_calendars" boolean not null default false, "environment" text not null default 'development', "deletion_due_at" timestamptz(3) null, "requires_signed_links" boolean not null default false, "accent_color" text null, primary key ("id"));`,
  `create table "audit_entry" ("id" uuid not null, "application_id" uuid null, "actor" text not null, "action" text not null, "subject" text not null, "request_id" text null, "recorded_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "audit_entry_recorded_at_index" on "audit_entry" ("recorded_at");`,
  `create index "audit_entry_by_application" on "audit_entry" ("application_id", "recorded_at");`,
  `create table "failed_connect" ("id" uuid not null, "application_id" uuid not null, "actor" text not null, "login_hash" bytea not null, "rejected_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "failed_connect_rejected_at_index" on "failed_connect" ("rejected_at");`,
  `create index "failed_connect_of_login" on "failed_connect" ("application_id", "login_hash", "rejected_at");`,
  `create index "failed_connect_of_actor" on "failed_connect" ("application_id", "actor", "rejected_at");`,
  `create table "credential" ("id" uuid not null, "application_id" uuid not null, "end_user_account_id" uuid not null, "secret" bytea not null, "row_version" int not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "oauth_client_id" text null, "lease_id" uuid null, "leased_until" timestamptz(3) null, primary key ("id"));`,
  `create index "credential_application_id_index" on "credential" ("application_id");`,
  `alter table "credential" add constraint "credential_end_user_account_id_unique" unique ("end_user_account_id");`,
  `create index "credential_of_oauth_client" on "credential" ("oauth_client_id") where "oauth_client_id" is not null;`,
  `create table "delivery_attempt" ("message_id" uuid not null, "number" int not null, "application_id" uuid not null, "started_at" timestamptz(3) not null, "duration_ms" int null, "status" int null, "failure" text null, "response_text" text null, "next_attempt_at" timestamptz(3) null, primary key ("message_id", "number"));`,
  `create index "delivery_attempt_by_time" on "delivery_attempt" ("started_at");`,
  `create table "encryption_rotation" ("key_id" text not null, "table_name" text not null, "column_name" text not null, "last_row_id" uuid null, "visited" int not null, "rewritten" int not null, "finished_at" timestamptz(3) null, primary key ("key_id", "table_name", "column_name"));`,
  `create table "end_user_account" ("id" uuid not null, "application_id" uuid not null, "provider_configuration_id" uuid not null, "provider_type" text not null, "email" text not null, "external_id" text null, "authorized_scopes" text[] not null, "provider_account_id" text null, "status" text not null, "status_reason" text null, "server_url" text null, "provider_state" jsonb null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "end_user_account_provider_configuration_id_index" on "end_user_account" ("provider_configuration_id");`,
  `create index "end_user_account_newest_first" on "end_user_account" ("application_id", "created_at" desc, "id" desc);`,
  `create unique index "end_user_account_of_person" on "end_user_account" ("application_id", "provider_type", "provider_account_id") where "provider_account_id" is not null;`,
  `create unique index "end_user_account_of_login" on "end_user_account" ("application_id", "provider_type", (case when "server_url" is null then lower("email") else "email" end), "server_url") nulls not distinct where "provider_account_id" is null;`,
  `create table "mass_expiry_breaker" ("provider_type" text not null, "client_id" text not null, "breaker_tripped_since" timestamptz(3) not null, "probed_at" timestamptz(3) null, primary key ("provider_type", "client_id"));`,
  `create table "grant_revocation" ("id" uuid not null, "application_id" uuid not null, "provider_type" text not null, "provider_account_id" text null, "client_id" text not null, "token" bytea not null, "attempts" int not null, "next_attempt_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "grant_revocation_application_id_index" on "grant_revocation" ("application_id");`,
  `create index "grant_revocation_next_attempt_at_index" on "grant_revocation" ("next_attempt_at");`,
  `create unlogged table "refresh_stats" ("provider_type" text not null, "client_id" text not null, "account_id" uuid not null, "refused" boolean not null, "decided_at" timestamptz(3) not null, primary key ("provider_type", "client_id", "account_id"));`,
  `create index "refresh_stats_decided_at_index" on "refresh_stats" ("decided_at");`,
  `create table "idempotency_record" ("id" uuid not null, "application_id" uuid not null, "key" text not null, "fingerprint" text not null, "claim_id" uuid not null, "locked_until" timestamptz(3) not null, "response" bytea null, "expires_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "idempotency_record_expires_at_index" on "idempotency_record" ("expires_at");`,
  `alter table "idempotency_record" add constraint "idempotency_record_key" unique ("application_id", "key");`,
  `create table "authorization_request" ("id" uuid not null, "application_id" uuid not null, "provider_type" text not null, "state_hash" bytea not null, "secret" bytea not null, "expires_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "authorization_request_application_id_index" on "authorization_request" ("application_id");`,
  `alter table "authorization_request" add constraint "authorization_request_state" unique ("state_hash");`,
  `create index "authorization_request_expires_at_index" on "authorization_request" ("expires_at");`,
  `create table "oauth_client" ("id" uuid not null, "application_id" uuid not null, "provider_type" text not null, "client_id" text not null, "client_secret" bytea not null, "scopes" text[] null, "tenant" text null, "expires_at" timestamptz(3) null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
  `alter table "oauth_client" add constraint "oauth_client_key" unique ("application_id", "provider_type");`,
  `create table "operator" ("id" uuid not null, "email" text not null, "name" text not null, "role" text not null, "password_hash" text null, "issuer" text null, "subject" text null, "created_at" timestamptz(3) not null, "last_sign_in_at" timestamptz(3) null, primary key ("id"));`,
  `alter table "operator" add constraint "operator_email" unique ("email");`,
  `create unique index "operator_identity" on "operator" ("issuer", "subject") where "subject" is not null;`,
  `create table "operator_invitation" ("id" uuid not null, "token_hash" bytea not null, "email" text null, "role" text not null, "invited_by_id" uuid null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("id"));`,
  `alter table "operator_invitation" add constraint "operator_invitation_token" unique ("token_hash");`,
  `create index "operator_invitation_invited_by_id_index" on "operator_invitation" ("invited_by_id");`,
  `create index "operator_invitation_expires_at_index" on "operator_invitation" ("expires_at");`,
  `create table "operator_sign_in_failure" ("subject_hash" bytea not null, "failures" int not null, "blocked_until" timestamptz(3) null, "last_at" timestamptz(3) not null, primary key ("subject_hash"));`,
  `create index "operator_sign_in_failure_last_at_index" on "operator_sign_in_failure" ("last_at");`,
  `create table "operator_session" ("secret_hash" bytea not null, "operator_id" uuid not null, "created_at" timestamptz(3) not null, "idle_until" timestamptz(3) not null, "ends_at" timestamptz(3) not null, "authenticated_at" timestamptz(3) null, "device" text null, "network" text null, "last_used_at" timestamptz(3) null, primary key ("secret_hash"));`,
  `create index "operator_session_operator_id_index" on "operator_session" ("operator_id");`,
  `create index "operator_session_ends_at_index" on "operator_session" ("ends_at");`,
  `create table "operator_sso_request" ("id" uuid not null, "state_hash" bytea not null, "secret" bytea not null, "expires_at" timestamptz(3) not null, primary key ("id"));`,
  `alter table "operator_sso_request" add constraint "operator_sso_request_state" unique ("state_hash");`,
  `create index "operator_sso_request_expires_at_index" on "operator_sso_request" ("expires_at");`,
  `create table "operator_token" ("id" uuid not null, "name" text not null, "scopes" text[] not null, "secret_hash" bytea not null, "created_by_id" uuid null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "last_used_at" timestamptz(3) null, primary key ("id"));`,
  `create index "operator_token_created_by_id_index" on "operator_token" ("created_by_id");`,
  `create table "outbox" ("id" uuid not null, "application_id" uuid not null, "event_type" text not null, "payload" jsonb not null, "created_at" timestamptz(6) not null, "relayed_at" timestamptz(3) null, "trace_parent" text null, primary key ("id"));`,
  `create index "outbox_application_id_index" on "outbox" ("application_id");`,
  `create index "outbox_unrelayed" on "outbox" ("created_at", "id") where "relayed_at" is null;`,
  `create index "outbox_relayed" on "outbox" ("relayed_at") where "relayed_at" is not null;`,
  `create table "private_property" ("id" uuid not null, "application_id" uuid not null, "end_user_account_id" uuid not null, "calendar_hash" bytea not null, "ical_uid_hash" bytea not null, "instance" text not null, "properties" bytea not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "private_property_application_id_index" on "private_property" ("application_id");`,
  `alter table "private_property" add constraint "private_property_key" unique ("end_user_account_id", "calendar_hash", "ical_uid_hash", "instance");`,
  `create unlogged table "provider_rate" ("application_id" uuid not null, "account_id" text not null, "arrival_ms" double precision not null, "refused_ms" double precision null, primary key ("application_id", "account_id"));`,
  `create index "provider_rate_arrival" on "provider_rate" ("arrival_ms");`,
  `create table "provider_channel" ("id" uuid not null, "application_id" uuid not null, "synced_calendar_id" uuid not null, "token" bytea not null, "state" text not null, "subscription_id" text null, "resource_id" text null, "expires_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "renew_at" timestamptz(3) null, "renewed_at" timestamptz(3) null, "missed_notifications" int not null default 0, primary key ("id"));`,
  `create index "provider_channel_application_id_index" on "provider_channel" ("application_id");`,
  `create index "provider_channel_synced_calendar_id_index" on "provider_channel" ("synced_calendar_id");`,
  `create unique index "provider_channel_live" on "provider_channel" ("synced_calendar_id") where "state" = 'live';`,
  `create table "provider_configuration" ("id" uuid not null, "application_id" uuid not null, "provider_type" text not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
  `alter table "provider_configuration" add constraint "provider_configuration_key" unique ("application_id", "provider_type");`,
  `create unlogged table "provider_permit" ("application_id" uuid not null, "account_id" text not null, "slot" int not null, "lease_id" uuid not null, "leased_until" timestamptz(3) not null, "taken_at" timestamptz(3) not null, "wanted_by" uuid null, "wanted_until" timestamptz(3) null, primary key ("application_id", "account_id", "slot"));`,
  `create table "redirect_url" ("id" uuid not null, "application_id" uuid not null, "url" text not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
  `alter table "redirect_url" add constraint "redirect_url_key" unique ("application_id", "url");`,
  `create table "request_record" ("id" uuid not null, "request_id" text not null, "started_at" timestamptz(3) not null, "method" text not null, "route" text not null, "status" int not null, "error_code" text null, "duration_ms" int not null, "application_id" uuid null, "api_key_id" text null, "account_id" uuid null, "provider_type" text null, "trace_id" text null, primary key ("id"));`,
  `create index "request_record_request_id_index" on "request_record" ("request_id");`,
  `create index "request_record_newest_first" on "request_record" ("started_at", "id");`,
  `create index "request_record_of_application" on "request_record" ("application_id", "started_at");`,
  `create index "request_record_of_account" on "request_record" ("account_id", "started_at") where "account_id" is not null;`,
  `create index "request_record_unusual" on "request_record" ("started_at", "id") where "status" >= 300;`,
  `create table "connect_link" ("id" uuid not null, "application_id" uuid not null, "provider_type" text null, "secret_hash" bytea not null, "secret" bytea not null, "expires_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "connect_link_application_id_index" on "connect_link" ("application_id");`,
  `alter table "connect_link" add constraint "connect_link_secret" unique ("secret_hash");`,
  `create index "connect_link_expires_at_index" on "connect_link" ("expires_at");`,
  `create table "sign_in_test" ("id" uuid not null, "application_id" uuid not null, "provider_type" text not null, "state" text not null, "email" text null, "granted_scopes" text[] not null, "missing_scopes" text[] not null, "has_refresh_token" boolean null, "error_code" text null, "error_message" text null, "created_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "sign_in_test_application_id_index" on "sign_in_test" ("application_id");`,
  `create index "sign_in_test_created_at_index" on "sign_in_test" ("created_at");`,
  `create table "sync_snapshot" ("id" uuid not null, "application_id" uuid not null, "end_user_account_id" uuid not null, "calendar_hash" bytea not null, "change_tag" text null, "entries" bytea not null, "used_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "sync_snapshot_application_id_index" on "sync_snapshot" ("application_id");`,
  `create index "sync_snapshot_used_at_index" on "sync_snapshot" ("used_at");`,
  `create index "sync_snapshot_of_calendar" on "sync_snapshot" ("end_user_account_id", "calendar_hash", "used_at");`,
  `create table "synced_calendar" ("id" uuid not null, "application_id" uuid not null, "end_user_account_id" uuid not null, "calendar_id" text not null, "calendar_hash" bytea not null, "sync_token" text null, "sync_requests" bigint not null, "next_sync_at" timestamptz(3) not null, "sync_lease_id" uuid null, "failing_since" timestamptz(3) null, "reconcile_requests" bigint not null, "reconcile_at" timestamptz(3) not null, "reconcile_lease_id" uuid null, "created_at" timestamptz(3) not null, "coalesce_until" timestamptz(3) null, "sync_stalled_count" int not null default 0, "reconcile_failures" int not null default 0, "sync_requests_seen" bigint not null default 0, "last_notification" bigint not null default 0, "trace_parent" text null, "sync_requested_at" timestamptz(3) null, "change_detected_at" timestamptz(3) null, "notified_at" timestamptz(3) null, "synced_at" timestamptz(3) null, "changed_at" timestamptz(3) null, primary key ("id"));`,
  `create index "synced_calendar_application_id_index" on "synced_calendar" ("application_id");`,
  `create index "synced_calendar_next_sync_at_index" on "synced_calendar" ("next_sync_at");`,
  `create index "synced_calendar_reconcile_at_index" on "synced_calendar" ("reconcile_at");`,
  `alter table "synced_calendar" add constraint "synced_calendar_key" unique ("end_user_account_id", "calendar_hash");`,
  `create table "webhook_endpoint" ("id" uuid not null, "application_id" uuid not null, "synced_calendar_id" uuid null, "url" text not null, "secrets" bytea not null, "event_types" text[] not null, "rate_limit" double precision null, "next_start_at" timestamptz(6) null, "next_send_at" timestamptz(6) null, "failing_since" timestamptz(3) null, "disabled_at" timestamptz(3) null, "disabled_reason" text null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "webhook_endpoint_synced_calendar_id_index" on "webhook_endpoint" ("synced_calendar_id");`,
  `create index "webhook_endpoint_of_application" on "webhook_endpoint" ("application_id", "id");`,
  `create table "webhook_message" ("id" uuid not null, "application_id" uuid not null, "endpoint_id" uuid not null, "account_id" uuid null, "event_type" text not null, "body" text not null, "state" text not null, "failure_reason" text null, "failures" int not null, "next_attempt_at" timestamptz(6) null, "resends" int not null, "tries" int not null, "tries_by_hand" int not null, "enqueue_at" timestamptz(6) null, "rate_limited_until" timestamptz(3) null, "lease_id" uuid null, "leased_until" timestamptz(6) null, "created_at" timestamptz(6) not null, "trace_parent" text null, "change_detected_at" timestamptz(3) null, primary key ("id"));`,
  `create index "webhook_message_application_id_index" on "webhook_message" ("application_id");`,
  `create index "webhook_message_of_endpoint" on "webhook_message" ("endpoint_id", "id");`,
  `create index "webhook_message_done" on "webhook_message" ("created_at") where "enqueue_at" is null;`,
  `create index "webhook_message_due" on "webhook_message" (("tries" = 0), "enqueue_at", "id") where "enqueue_at" is not null;`,
  `create index "webhook_message_failed" on "webhook_message" ("id") where "state" = 'failed';`,
  `create table "reading_plan" ("provider_type" text not null, "quota_owner" text not null, "planned_at" timestamptz(3) not null, "requests_per_day" bigint null, "requests_used" bigint not null, "calendars" int not null, "near" int not null, "near_priority" int null, "near_changed_at" timestamptz(3) null, "min_interval_ms" int not null, "max_interval_ms" int not null, "min_polled_ms" int null, "max_polled_ms" int null, "strained_until" timestamptz(3) null, "hurried_at" timestamptz(3) null, primary key ("provider_type", "quota_owner"));`,
  `create table "provider_request_count" ("application_id" uuid not null, "hour" timestamptz(3) not null, "provider_type" text not null, "project" text not null, "cause" text not null, "requests" bigint not null, primary key ("application_id", "hour", "provider_type", "project", "cause"));`,
  `create index "provider_request_count_hour_index" on "provider_request_count" ("hour");`,
  `alter table "credential_check" add constraint "credential_check_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "credential_check" add constraint "credential_check_end_user_account_id_foreign" foreign key ("end_user_account_id") references "end_user_account" ("id") on update cascade on delete cascade;`,
  `alter table "account_status_change" add constraint "account_status_change_account_id_foreign" foreign key ("account_id") references "end_user_account" ("id") on delete cascade;`,
  `alter table "api_key" add constraint "api_key_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "failed_connect" add constraint "failed_connect_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "credential" add constraint "credential_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "credential" add constraint "credential_end_user_account_id_foreign" foreign key ("end_user_account_id") references "end_user_account" ("id") on delete cascade;`,
  `alter table "delivery_attempt" add constraint "delivery_attempt_message_id_foreign" foreign key ("message_id") references "webhook_message" ("id") on delete cascade;`,
  `alter table "end_user_account" add constraint "end_user_account_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "end_user_account" add constraint "end_user_account_provider_configuration_id_foreign" foreign key ("provider_configuration_id") references "provider_configuration" ("id") on delete cascade;`,
  `alter table "grant_revocation" add constraint "grant_revocation_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "idempotency_record" add constraint "idempotency_record_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "authorization_request" add constraint "authorization_request_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "oauth_client" add constraint "oauth_client_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "operator_invitation" add constraint "operator_invitation_invited_by_id_foreign" foreign key ("invited_by_id") references "operator" ("id") on delete set null;`,
  `alter table "operator_session" add constraint "operator_session_operator_id_foreign" foreign key ("operator_id") references "operator" ("id") on delete cascade;`,
  `alter table "operator_token" add constraint "operator_token_created_by_id_foreign" foreign key ("created_by_id") references "operator" ("id") on delete cascade;`,
  `alter table "outbox" add constraint "outbox_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "private_property" add constraint "private_property_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "private_property" add constraint "private_property_end_user_account_id_foreign" foreign key ("end_user_account_id") references "end_user_account" ("id") on delete cascade;`,
  `alter table "provider_request_count" add constraint "provider_request_count_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "provider_rate" add constraint "provider_rate_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "provider_channel" add constraint "provider_channel_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "provider_channel" add constraint "provider_channel_synced_calendar_id_foreign" foreign key ("synced_calendar_id") references "synced_calendar" ("id") on delete cascade;`,
  `alter table "provider_configuration" add constraint "provider_configuration_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "provider_permit" add constraint "provider_permit_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "redirect_url" add constraint "redirect_url_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "connect_link" add constraint "connect_link_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "sign_in_test" add constraint "sign_in_test_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "sync_snapshot" add constraint "sync_snapshot_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "sync_snapshot" add constraint "sync_snapshot_end_user_account_id_foreign" foreign key ("end_user_account_id") references "end_user_account" ("id") on delete cascade;`,
  `alter table "synced_calendar" add constraint "synced_calendar_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "synced_calendar" add constraint "synced_calendar_end_user_account_id_foreign" foreign key ("end_user_account_id") references "end_user_account" ("id") on delete cascade;`,
  `alter table "webhook_endpoint" add constraint "webhook_endpoint_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "webhook_endpoint" add constraint "webhook_endpoint_synced_calendar_id_foreign" foreign key ("synced_calendar_id") references "synced_calendar" ("id") on delete cascade;`,
  `alter table "webhook_message" add constraint "webhook_message_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
];

const OWNED_BY_APPLICATION = [
  'credential_check',
  'account_status_change',
  'api_key',
  'audit_entry',
  'failed_connect',
  'credential',
  'delivery_attempt',
  'end_user_account',
  'grant_revocation',
  'idempotency_record',
  'authorization_request',
  'connect_link',
  'oauth_client',
  'outbox',
  'private_property',
  'provider_rate',
  'provider_request_count',
  'provider_channel',
  'provider_configuration',
  'provider_permit',
  'redirect_url',
  'sign_in_test',
  'sync_snapshot',
  'synced_calendar',
  'webhook_endpoint',
  'webhook_message',
];
const SYSTEM_ONLY = [
  'encryption_rotation',
  'mass_expiry_breaker',
  'refresh_stats',
  'operator',
  'operator_invitation',
  'operator_sign_in_failure',
  'operator_session',
  'operator_sso_request',
  'operator_token',
  'request_record',
  'reading_plan',
];

/**
 * The role that queries switch to when the connection's own role bypasses row-level security. Written by hand: MikroORM
 * does not compare roles and grants. A role that may not create roles is bound by `force row level security` itself.
 */
const ROLE = `
  do $$
  begin
    begin
      create role ${APPLICATION_ROLE} nologin nosuperuser nobypassrls;
    exception
      when duplicate_object or unique_violation then null; -- of another database on this server
    end;
    execute format('grant ${APPLICATION_ROLE} to %I', current_user);
    execute format('grant usage on schema %I to ${APPLICATION_ROLE}', current_schema());
    execute format('grant select, insert, update, delete on all tables in schema %I to ${APPLICATION_ROLE}',
                   current_schema());
    execute format('alter default privileges in schema %I grant select, insert, update, delete on tables to '
                   '${APPLICATION_ROLE}', current_schema());
  exception
    when insufficient_privilege then
      raise notice 'role ${APPLICATION_ROLE} not made: % may not create roles', current_user;
  end $$`;

export class Migration20261125000000_initial extends Migration {
  override name = 'Migration20261125000000_initial';

  override up(): void {
    const policies = [
      ...ownedByApplication('application', 'id'),
      ...OWNED_BY_APPLICATION.flatMap((table) => ownedByApplication(table)),
      ...SYSTEM_ONLY.flatMap(systemOnly),
    ];
    for (const statement of [...SCHEMA, ...policies, ROLE]) this.addSql(statement);
  }
}

const SCOPE = "current_setting('app.application_id', true)";

/** A `case`, because PostgreSQL estimates that an equality keeps one row in 200, and would plan for that. */
function ownedByApplication(table: string, column = 'application_id'): string[] {
  return rowLevelSecurity(table, 'tenant', `case ${SCOPE} when 'system' then true else ${SCOPE} = ${column}::text end`);
}

function systemOnly(table: string): string[] {
  return rowLevelSecurity(table, 'system', `${SCOPE} = 'system'`);
}

function rowLevelSecurity(table: string, policy: string, isVisible: string): string[] {
  return [
    `alter table "${table}" enable row level security;`,
    `alter table "${table}" force row level security;`,
    `create policy "${policy}" on "${table}" using (${isVisible}) with check (${isVisible});`,
  ];
}
