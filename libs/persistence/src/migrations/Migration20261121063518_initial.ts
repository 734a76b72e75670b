import { Migration } from '@mikro-orm/migrations';

export class Migration20261121063518_initial extends Migration {
  override name = 'Migration20261121063518_initial';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "application" ("id" uuid not null, "name" text not null, "rate_limit_rps" int null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    );

    this.addSql(
      `create table "api_key" ("id" text not null, "application_id" uuid not null, "name" text not null, "scopes" text[] not null, "secret_hash" bytea not null, "secret_tail" text not null, "expires_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "api_key_application_id_index" on "api_key" ("application_id");`);

    this.addSql(
      `create table "audit_entry" ("id" uuid not null, "application_id" uuid not null, "actor" text not null, "action" text not null, "subject" text not null, "request_id" text null, "recorded_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "audit_entry_recorded_at_index" on "audit_entry" ("recorded_at");`);
    this.addSql(`create index "audit_entry_by_application" on "audit_entry" ("application_id", "recorded_at");`);

    this.addSql(
      `create table "encryption_rotation" ("key_id" text not null, "table_name" text not null, "column_name" text not null, "last_row_id" uuid null, "visited" int not null, "rewritten" int not null, "finished_at" timestamptz(3) null, primary key ("key_id", "table_name", "column_name"));`,
    );

    this.addSql(
      `create table "idempotency_record" ("id" uuid not null, "application_id" uuid not null, "key" text not null, "fingerprint" text not null, "claim_id" uuid not null, "locked_until" timestamptz(3) not null, "answer" bytea null, "expires_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "idempotency_record_expires_at_index" on "idempotency_record" ("expires_at");`);
    this.addSql(
      `alter table "idempotency_record" add constraint "idempotency_record_key" unique ("application_id", "key");`,
    );

    this.addSql(
      `create table "provider_budget" ("application_id" uuid not null, "account_id" text not null, "arrival_ms" double precision not null, primary key ("application_id", "account_id"));`,
    );
    this.addSql(`create index "provider_budget_arrival" on "provider_budget" ("arrival_ms");`);

    this.addSql(
      `create table "provider_configuration" ("id" uuid not null, "application_id" uuid not null, "provider_type" text not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "provider_configuration" add constraint "provider_configuration_key" unique ("application_id", "provider_type");`,
    );

    this.addSql(
      `create table "end_user_account" ("id" uuid not null, "application_id" uuid not null, "provider_configuration_id" uuid not null, "provider_type" text not null, "email" text not null, "external_id" text null, "authorized_scopes" text[] not null, "provider_account_id" text null, "status" text not null, "status_reason" text null, "server_url" text null, "provider_state" jsonb null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "end_user_account_provider_configuration_id_index" on "end_user_account" ("provider_configuration_id");`,
    );
    this.addSql(
      `create index "end_user_account_newest_first" on "end_user_account" ("application_id", "created_at" desc, "id" desc);`,
    );
    this.addSql(
      `create unique index "end_user_account_upsert_key" on "end_user_account" ("application_id", "provider_type", lower("email"), "server_url") nulls not distinct;`,
    );

    this.addSql(
      `create table "private_property" ("id" uuid not null, "application_id" uuid not null, "end_user_account_id" uuid not null, "calendar_hash" bytea not null, "ical_uid_hash" bytea not null, "instance" text not null, "properties" bytea not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "private_property_application_id_index" on "private_property" ("application_id");`);
    this.addSql(
      `alter table "private_property" add constraint "private_property_key" unique ("end_user_account_id", "calendar_hash", "ical_uid_hash", "instance");`,
    );

    this.addSql(
      `create table "credential" ("id" uuid not null, "application_id" uuid not null, "end_user_account_id" uuid not null, "secret" bytea not null, "row_version" int not null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "credential_application_id_index" on "credential" ("application_id");`);
    this.addSql(
      `alter table "credential" add constraint "credential_end_user_account_id_unique" unique ("end_user_account_id");`,
    );

    this.addSql(
      `create table "sync_snapshot" ("id" uuid not null, "application_id" uuid not null, "end_user_account_id" uuid not null, "calendar_hash" bytea not null, "change_tag" text null, "entries" bytea not null, "used_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "sync_snapshot_application_id_index" on "sync_snapshot" ("application_id");`);
    this.addSql(`create index "sync_snapshot_used_at_index" on "sync_snapshot" ("used_at");`);
    this.addSql(
      `create index "sync_snapshot_of_calendar" on "sync_snapshot" ("end_user_account_id", "calendar_hash", "used_at");`,
    );

    this.addSql(`alter table "application" enable row level security;`);
    this.addSql(`alter table "application" force row level security;`);
    this.addSql(
      `create policy "tenant" on "application" using (current_setting('app.application_id', true) in (id::text, 'system')) with check (current_setting('app.application_id', true) in (id::text, 'system'));`,
    );

    this.addSql(
      `alter table "api_key" add constraint "api_key_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "api_key" enable row level security;`);
    this.addSql(`alter table "api_key" force row level security;`);
    this.addSql(
      `create policy "tenant" on "api_key" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(`alter table "audit_entry" enable row level security;`);
    this.addSql(`alter table "audit_entry" force row level security;`);
    this.addSql(
      `create policy "tenant" on "audit_entry" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(`alter table "encryption_rotation" enable row level security;`);
    this.addSql(`alter table "encryption_rotation" force row level security;`);
    this.addSql(
      `create policy "system" on "encryption_rotation" using (current_setting('app.application_id', true) = 'system') with check (current_setting('app.application_id', true) = 'system');`,
    );

    this.addSql(
      `alter table "idempotency_record" add constraint "idempotency_record_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "idempotency_record" enable row level security;`);
    this.addSql(`alter table "idempotency_record" force row level security;`);
    this.addSql(
      `create policy "tenant" on "idempotency_record" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(
      `alter table "provider_budget" add constraint "provider_budget_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "provider_budget" enable row level security;`);
    this.addSql(`alter table "provider_budget" force row level security;`);
    this.addSql(
      `create policy "tenant" on "provider_budget" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(
      `alter table "provider_configuration" add constraint "provider_configuration_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "provider_configuration" enable row level security;`);
    this.addSql(`alter table "provider_configuration" force row level security;`);
    this.addSql(
      `create policy "tenant" on "provider_configuration" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(
      `alter table "end_user_account" add constraint "end_user_account_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "end_user_account" add constraint "end_user_account_provider_configuration_id_foreign" foreign key ("provider_configuration_id") references "provider_configuration" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "end_user_account" enable row level security;`);
    this.addSql(`alter table "end_user_account" force row level security;`);
    this.addSql(
      `create policy "tenant" on "end_user_account" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(
      `alter table "private_property" add constraint "private_property_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "private_property" add constraint "private_property_end_user_account_id_foreign" foreign key ("end_user_account_id") references "end_user_account" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "private_property" enable row level security;`);
    this.addSql(`alter table "private_property" force row level security;`);
    this.addSql(
      `create policy "tenant" on "private_property" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(
      `alter table "credential" add constraint "credential_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "credential" add constraint "credential_end_user_account_id_foreign" foreign key ("end_user_account_id") references "end_user_account" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "credential" enable row level security;`);
    this.addSql(`alter table "credential" force row level security;`);
    this.addSql(
      `create policy "tenant" on "credential" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(
      `alter table "sync_snapshot" add constraint "sync_snapshot_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "sync_snapshot" add constraint "sync_snapshot_end_user_account_id_foreign" foreign key ("end_user_account_id") references "end_user_account" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "sync_snapshot" enable row level security;`);
    this.addSql(`alter table "sync_snapshot" force row level security;`);
    this.addSql(
      `create policy "tenant" on "sync_snapshot" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "api_key" drop constraint "api_key_application_id_foreign";`);
    this.addSql(`alter table "idempotency_record" drop constraint "idempotency_record_application_id_foreign";`);
    this.addSql(`alter table "provider_budget" drop constraint "provider_budget_application_id_foreign";`);
    this.addSql(
      `alter table "provider_configuration" drop constraint "provider_configuration_application_id_foreign";`,
    );
    this.addSql(`alter table "end_user_account" drop constraint "end_user_account_application_id_foreign";`);
    this.addSql(`alter table "private_property" drop constraint "private_property_application_id_foreign";`);
    this.addSql(`alter table "credential" drop constraint "credential_application_id_foreign";`);
    this.addSql(`alter table "sync_snapshot" drop constraint "sync_snapshot_application_id_foreign";`);
    this.addSql(`alter table "end_user_account" drop constraint "end_user_account_provider_configuration_id_foreign";`);
    this.addSql(`alter table "private_property" drop constraint "private_property_end_user_account_id_foreign";`);
    this.addSql(`alter table "credential" drop constraint "credential_end_user_account_id_foreign";`);
    this.addSql(`alter table "sync_snapshot" drop constraint "sync_snapshot_end_user_account_id_foreign";`);

    this.addSql(`drop table if exists "application" cascade;`);
    this.addSql(`drop table if exists "api_key" cascade;`);
    this.addSql(`drop table if exists "audit_entry" cascade;`);
    this.addSql(`drop table if exists "encryption_rotation" cascade;`);
    this.addSql(`drop table if exists "idempotency_record" cascade;`);
    this.addSql(`drop table if exists "provider_budget" cascade;`);
    this.addSql(`drop table if exists "provider_configuration" cascade;`);
    this.addSql(`drop table if exists "end_user_account" cascade;`);
    this.addSql(`drop table if exists "private_property" cascade;`);
    this.addSql(`drop table if exists "credential" cascade;`);
    this.addSql(`drop table if exists "sync_snapshot" cascade;`);
  }
}
