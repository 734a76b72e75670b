import { Migration } from '@mikro-orm/migrations';

const SCHEMA = [
  `create table "application" ("id" uuid not null, "name" text not null, "rate_limit_rps" int null, "created_at" timestamptz(3) not null, primary key ("id"));`,
  `create table "api_key" ("id" text not null, "application_id" uuid not null, "name" text not null, "scopes" text[] not null, "secret_hash" bytea not null, "secret_tail" text not null, "expires_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, "created_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "api_key_application_id_index" on "api_key" ("application_id");`,
  `create table "audit_entry" ("id" uuid not null, "application_id" uuid not null, "actor" text not null, "action" text not null, "subject" text not null, "request_id" text null, "recorded_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "audit_entry_recorded_at_index" on "audit_entry" ("recorded_at");`,
  `create index "audit_entry_by_application" on "audit_entry" ("application_id", "recorded_at");`,
  `create table "encryption_rotation" ("key_id" text not null, "table_name" text not null, "column_name" text not null, "last_row_id" uuid null, "visited" int not null, "rewritten" int not null, "finished_at" timestamptz(3) null, primary key ("key_id", "table_name", "column_name"));`,
  `create table "idempotency_record" ("id" uuid not null, "application_id" uuid not null, "key" text not null, "fingerprint" text not null, "claim_id" uuid not null, "locked_until" timestamptz(3) not null, "answer" bytea null, "expires_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "idempotency_record_expires_at_index" on "idempotency_record" ("expires_at");`,
  `alter table "idempotency_record" add constraint "idempotency_record_key" unique ("application_id", "key");`,
  `create table "provider_budget" ("application_id" uuid not null, "account_id" text not null, "arrival_ms" double precision not null, primary key ("application_id", "account_id"));`,
  `create index "provider_budget_arrival" on "provider_budget" ("arrival_ms");`,
  `create table "provider_configuration" ("id" uuid not null, "application_id" uuid not null, "provider_type" text not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
  `alter table "provider_configuration" add constraint "provider_configuration_key" unique ("application_id", "provider_type");`,
  `create table "end_user_account" ("id" uuid not null, "application_id" uuid not null, "provider_configuration_id" uuid not null, "provider_type" text not null, "email" text not null, "external_id" text null, "authorized_scopes" text[] not null, "provider_account_id" text null, "status" text not null, "status_reason" text null, "server_url" text null, "provider_state" jsonb null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "end_user_account_provider_configuration_id_index" on "end_user_account" ("provider_configuration_id");`,
  `create index "end_user_account_newest_first" on "end_user_account" ("application_id", "created_at" desc, "id" desc);`,
  `create unique index "end_user_account_upsert_key" on "end_user_account" ("application_id", "provider_type", lower("email"), "server_url") nulls not distinct;`,
  `create table "private_property" ("id" uuid not null, "application_id" uuid not null, "end_user_account_id" uuid not null, "calendar_hash" bytea not null, "ical_uid_hash" bytea not null, "instance" text not null, "properties" bytea not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "private_property_application_id_index" on "private_property" ("application_id");`,
  `alter table "private_property" add constraint "private_property_key" unique ("end_user_account_id", "calendar_hash", "ical_uid_hash", "instance");`,
  `create table "credential" ("id" uuid not null, "application_id" uuid not null, "end_user_account_id" uuid not null, "secret" bytea not null, "row_version" int not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "credential_application_id_index" on "credential" ("application_id");`,
  `alter table "credential" add constraint "credential_end_user_account_id_unique" unique ("end_user_account_id");`,
  `create table "sync_snapshot" ("id" uuid not null, "application_id" uuid not null, "end_user_account_id" uuid not null, "calendar_hash" bytea not null, "change_tag" text null, "entries" bytea not null, "used_at" timestamptz(3) not null, primary key ("id"));`,
  `create index "sync_snapshot_application_id_index" on "sync_snapshot" ("application_id");`,
  `create index "sync_snapshot_used_at_index" on "sync_snapshot" ("used_at");`,
  `create index "sync_snapshot_of_calendar" on "sync_snapshot" ("end_user_account_id", "calendar_hash", "used_at");`,
  `alter table "api_key" add constraint "api_key_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "idempotency_record" add constraint "idempotency_record_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "provider_budget" add constraint "provider_budget_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "provider_configuration" add constraint "provider_configuration_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "end_user_account" add constraint "end_user_account_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "end_user_account" add constraint "end_user_account_provider_configuration_id_foreign" foreign key ("provider_configuration_id") references "provider_configuration" ("id") on delete cascade;`,
  `alter table "private_property" add constraint "private_property_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "private_property" add constraint "private_property_end_user_account_id_foreign" foreign key ("end_user_account_id") references "end_user_account" ("id") on delete cascade;`,
  `alter table "credential" add constraint "credential_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "credential" add constraint "credential_end_user_account_id_foreign" foreign key ("end_user_account_id") references "end_user_account" ("id") on delete cascade;`,
  `alter table "sync_snapshot" add constraint "sync_snapshot_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
  `alter table "sync_snapshot" add constraint "sync_snapshot_end_user_account_id_foreign" foreign key ("end_user_account_id") references "end_user_account" ("id") on delete cascade;`,
];

const OWNED = [
  'api_key',
  'audit_entry',
  'idempotency_record',
  'provider_budget',
  'provider_configuration',
  'end_user_account',
  'private_property',
  'credential',
  'sync_snapshot',
];

export class Migration20261121063518_initial extends Migration {
  override name = 'Migration20261121063518_initial';

  override up(): void {
    const walls = [...ownedByApplication('application', 'id'), ...OWNED.flatMap((table) => ownedByApplication(table))];
    for (const statement of [...SCHEMA, ...walls, ...systemOnly('encryption_rotation')]) this.addSql(statement);
  }
}

const SCOPE = "current_setting('app.application_id', true)";

/** A `case`: PostgreSQL supposes of an equality that it leaves one row in two hundred, and plans for that. */
export function ownedByApplication(table: string, column = 'application_id'): string[] {
  return wall(table, 'tenant', `case ${SCOPE} when 'system' then true else ${SCOPE} = ${column}::text end`);
}

export function systemOnly(table: string): string[] {
  return wall(table, 'system', `${SCOPE} = 'system'`);
}

function wall(table: string, policy: string, isVisible: string): string[] {
  return [
    `alter table "${table}" enable row level security;`,
    `alter table "${table}" force row level security;`,
    `create policy "${policy}" on "${table}" using (${isVisible}) with check (${isVisible});`,
  ];
}
