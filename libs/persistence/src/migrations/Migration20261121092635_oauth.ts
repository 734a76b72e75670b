import { Migration } from '@mikro-orm/migrations';

export class Migration20261121092635_oauth extends Migration {
  override name = 'Migration20261121092635_oauth';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "connect_refusal" ("id" uuid not null, "application_id" uuid not null, "actor" text not null, "login_hash" bytea not null, "refused_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "connect_refusal_refused_at_index" on "connect_refusal" ("refused_at");`);
    this.addSql(
      `create index "connect_refusal_of_login" on "connect_refusal" ("application_id", "login_hash", "refused_at");`,
    );
    this.addSql(
      `create index "connect_refusal_of_actor" on "connect_refusal" ("application_id", "actor", "refused_at");`,
    );

    this.addSql(
      `create table "grant_hold" ("provider_type" text not null, "client_id" text not null, "held_since" timestamptz(3) not null, "probed_at" timestamptz(3) null, primary key ("provider_type", "client_id"));`,
    );

    this.addSql(
      `create table "grant_revocation" ("id" uuid not null, "application_id" uuid not null, "provider_type" text not null, "provider_account_id" text null, "client_id" text not null, "token" bytea not null, "attempts" int not null, "next_attempt_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "grant_revocation_application_id_index" on "grant_revocation" ("application_id");`);
    this.addSql(`create index "grant_revocation_next_attempt_at_index" on "grant_revocation" ("next_attempt_at");`);

    this.addSql(
      `create table "grant_tally" ("provider_type" text not null, "client_id" text not null, "account_id" uuid not null, "refused" boolean not null, "judged_at" timestamptz(3) not null, primary key ("provider_type", "client_id", "account_id"));`,
    );
    this.addSql(`create index "grant_tally_judged_at_index" on "grant_tally" ("judged_at");`);
    // Worth nothing after a crash, written at every refresh of a token: not worth the write-ahead log.
    this.addSql(`alter table "grant_tally" set unlogged;`);

    this.addSql(
      `create table "oauth_attempt" ("id" uuid not null, "application_id" uuid not null, "provider_type" text not null, "state_hash" bytea not null, "secret" bytea not null, "expires_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "oauth_attempt_application_id_index" on "oauth_attempt" ("application_id");`);
    this.addSql(`alter table "oauth_attempt" add constraint "oauth_attempt_state" unique ("state_hash");`);
    this.addSql(`create index "oauth_attempt_expires_at_index" on "oauth_attempt" ("expires_at");`);

    this.addSql(
      `create table "oauth_client" ("id" uuid not null, "application_id" uuid not null, "provider_type" text not null, "client_id" text not null, "client_secret" bytea not null, "scopes" text[] null, "tenant" text null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "oauth_client" add constraint "oauth_client_key" unique ("application_id", "provider_type");`,
    );

    this.addSql(
      `create table "outbox" ("id" uuid not null, "application_id" uuid not null, "event_type" text not null, "payload" jsonb not null, "created_at" timestamptz(6) not null, "relayed_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`create index "outbox_application_id_index" on "outbox" ("application_id");`);
    this.addSql(`create index "outbox_unrelayed" on "outbox" ("created_at", "id") where "relayed_at" is null;`);
    this.addSql(`create index "outbox_relayed" on "outbox" ("relayed_at") where "relayed_at" is not null;`);

    this.addSql(
      `create table "account_health" ("end_user_account_id" uuid not null, "application_id" uuid not null, "next_check_at" timestamptz(3) null, "last_used_at" timestamptz(3) null, "refused_version" int null, "first_refused_at" timestamptz(3) null, primary key ("end_user_account_id"));`,
    );
    this.addSql(`create index "account_health_application_id_index" on "account_health" ("application_id");`);
    this.addSql(`create index "account_health_next_check_at_index" on "account_health" ("next_check_at");`);
    this.addSql(
      `create index "account_health_refused" on "account_health" ("application_id") where "refused_version" is not null;`,
    );

    this.addSql(
      `create table "redirect_url" ("id" uuid not null, "application_id" uuid not null, "url" text not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`alter table "redirect_url" add constraint "redirect_url_key" unique ("application_id", "url");`);

    this.addSql(
      `create unique index "end_user_account_of_person" on "end_user_account" ("application_id", "provider_type", "provider_account_id") where "provider_account_id" is not null;`,
    );
    this.addSql(
      `create unique index "end_user_account_of_address" on "end_user_account" ("application_id", "provider_type", lower("email"), "server_url") nulls not distinct where "provider_account_id" is null;`,
    );
    // The new keys stand before the old one falls. A process of the build before, which names the old one in its
    // upsert, cannot connect accounts any more; everything else that it does goes on.
    this.addSql(`drop index "end_user_account_upsert_key";`);

    this.addSql(
      `alter table "credential" add "oauth_client_id" text null, add "lease_id" uuid null, add "leased_until" timestamptz(3) null;`,
    );
    this.addSql(
      `create index "credential_of_oauth_client" on "credential" ("oauth_client_id") where "oauth_client_id" is not null;`,
    );

    this.addSql(
      `alter table "connect_refusal" add constraint "connect_refusal_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "connect_refusal" enable row level security;`);
    this.addSql(`alter table "connect_refusal" force row level security;`);
    this.addSql(
      `create policy "tenant" on "connect_refusal" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(`alter table "grant_hold" enable row level security;`);
    this.addSql(`alter table "grant_hold" force row level security;`);
    this.addSql(
      `create policy "system" on "grant_hold" using (current_setting('app.application_id', true) = 'system') with check (current_setting('app.application_id', true) = 'system');`,
    );

    this.addSql(
      `alter table "grant_revocation" add constraint "grant_revocation_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "grant_revocation" enable row level security;`);
    this.addSql(`alter table "grant_revocation" force row level security;`);
    this.addSql(
      `create policy "tenant" on "grant_revocation" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(`alter table "grant_tally" enable row level security;`);
    this.addSql(`alter table "grant_tally" force row level security;`);
    this.addSql(
      `create policy "system" on "grant_tally" using (current_setting('app.application_id', true) = 'system') with check (current_setting('app.application_id', true) = 'system');`,
    );

    this.addSql(
      `alter table "oauth_attempt" add constraint "oauth_attempt_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "oauth_attempt" enable row level security;`);
    this.addSql(`alter table "oauth_attempt" force row level security;`);
    this.addSql(
      `create policy "tenant" on "oauth_attempt" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(
      `alter table "oauth_client" add constraint "oauth_client_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "oauth_client" enable row level security;`);
    this.addSql(`alter table "oauth_client" force row level security;`);
    this.addSql(
      `create policy "tenant" on "oauth_client" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(
      `alter table "outbox" add constraint "outbox_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "outbox" enable row level security;`);
    this.addSql(`alter table "outbox" force row level security;`);
    this.addSql(
      `create policy "tenant" on "outbox" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(
      `alter table "account_health" add constraint "account_health_end_user_account_id_foreign" foreign key ("end_user_account_id") references "end_user_account" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "account_health" add constraint "account_health_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "account_health" enable row level security;`);
    this.addSql(`alter table "account_health" force row level security;`);
    this.addSql(
      `create policy "tenant" on "account_health" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(
      `alter table "redirect_url" add constraint "redirect_url_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "redirect_url" enable row level security;`);
    this.addSql(`alter table "redirect_url" force row level security;`);
    this.addSql(
      `create policy "tenant" on "redirect_url" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    // Every account has a row from its first day on; the ones that are there get theirs now.
    this.addSql(`select set_config('app.application_id', 'system', true);`);
    this.addSql(
      `insert into "account_health" ("end_user_account_id", "application_id") select "id", "application_id" from "end_user_account";`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "connect_refusal" cascade;`);
    this.addSql(`drop table if exists "grant_hold" cascade;`);
    this.addSql(`drop table if exists "grant_revocation" cascade;`);
    this.addSql(`drop table if exists "grant_tally" cascade;`);
    this.addSql(`drop table if exists "oauth_attempt" cascade;`);
    this.addSql(`drop table if exists "oauth_client" cascade;`);
    this.addSql(`drop table if exists "outbox" cascade;`);
    this.addSql(`drop table if exists "account_health" cascade;`);
    this.addSql(`drop table if exists "redirect_url" cascade;`);

    this.addSql(`drop index "credential_of_oauth_client";`);
    this.addSql(
      `alter table "credential" drop column "oauth_client_id", drop column "lease_id", drop column "leased_until";`,
    );

    this.addSql(`drop index "end_user_account_of_person";`);
    this.addSql(`drop index "end_user_account_of_address";`);
    this.addSql(
      `create unique index "end_user_account_upsert_key" on "end_user_account" ("application_id", "provider_type", lower("email"), "server_url") nulls not distinct;`,
    );
  }
}
