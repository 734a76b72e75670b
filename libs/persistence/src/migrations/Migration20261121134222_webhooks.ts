import { Migration } from '@mikro-orm/migrations';

export class Migration20261121134222_webhooks extends Migration {
  override name = 'Migration20261121134222_webhooks';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "watched_calendar" ("id" uuid not null, "application_id" uuid not null, "end_user_account_id" uuid not null, "calendar_id" text not null, "calendar_hash" bytea not null, "sync_token" text null, "hints" bigint not null, "look_at" timestamptz(3) not null, "look_lease_id" uuid null, "failing_since" timestamptz(3) null, "upkeep_asks" bigint not null, "upkeep_at" timestamptz(3) not null, "upkeep_lease_id" uuid null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "watched_calendar_application_id_index" on "watched_calendar" ("application_id");`);
    this.addSql(`create index "watched_calendar_look_at_index" on "watched_calendar" ("look_at");`);
    this.addSql(`create index "watched_calendar_upkeep_at_index" on "watched_calendar" ("upkeep_at");`);
    this.addSql(
      `alter table "watched_calendar" add constraint "watched_calendar_key" unique ("end_user_account_id", "calendar_hash");`,
    );

    this.addSql(
      `create table "provider_channel" ("id" uuid not null, "application_id" uuid not null, "watched_calendar_id" uuid not null, "token" bytea not null, "state" text not null, "subscription_id" text null, "resource_id" text null, "expires_at" timestamptz(3) null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "provider_channel_application_id_index" on "provider_channel" ("application_id");`);
    this.addSql(
      `create index "provider_channel_watched_calendar_id_index" on "provider_channel" ("watched_calendar_id");`,
    );
    this.addSql(
      `create unique index "provider_channel_live" on "provider_channel" ("watched_calendar_id") where "state" = 'live';`,
    );

    this.addSql(
      `create table "webhook_endpoint" ("id" uuid not null, "application_id" uuid not null, "watched_calendar_id" uuid null, "url" text not null, "secrets" bytea not null, "event_types" text[] not null, "rate_limit" double precision null, "next_start_at" timestamptz(6) null, "next_turn_at" timestamptz(6) null, "failing_since" timestamptz(3) null, "disabled_at" timestamptz(3) null, "disabled_reason" text null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "webhook_endpoint_watched_calendar_id_index" on "webhook_endpoint" ("watched_calendar_id");`,
    );
    this.addSql(`create index "webhook_endpoint_of_application" on "webhook_endpoint" ("application_id", "id");`);

    this.addSql(
      `create table "webhook_message" ("id" uuid not null, "application_id" uuid not null, "endpoint_id" uuid not null, "account_id" uuid null, "event_type" text not null, "body" text not null, "state" text not null, "failure_reason" text null, "failures" int not null, "next_attempt_at" timestamptz(6) null, "resends" int not null, "tries" int not null, "tries_by_hand" int not null, "wake_at" timestamptz(6) null, "turn_at" timestamptz(3) null, "lease_id" uuid null, "leased_until" timestamptz(6) null, "created_at" timestamptz(6) not null, primary key ("id"));`,
    );
    this.addSql(`create index "webhook_message_application_id_index" on "webhook_message" ("application_id");`);
    this.addSql(
      `create index "webhook_message_to_wake" on "webhook_message" ("wake_at", "id") where "wake_at" is not null;`,
    );
    this.addSql(`create index "webhook_message_of_endpoint" on "webhook_message" ("endpoint_id", "id");`);
    this.addSql(`create index "webhook_message_done" on "webhook_message" ("created_at") where "wake_at" is null;`);

    this.addSql(
      `create table "delivery_attempt" ("message_id" uuid not null, "number" int not null, "application_id" uuid not null, "started_at" timestamptz(3) not null, "duration_ms" int null, "status" int null, "failure" text null, "response_text" text null, "next_attempt_at" timestamptz(3) null, primary key ("message_id", "number"));`,
    );

    this.addSql(`alter table "application" add "enriches_webhooks" boolean not null default false;`);

    this.addSql(
      `alter table "watched_calendar" add constraint "watched_calendar_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "watched_calendar" add constraint "watched_calendar_end_user_account_id_foreign" foreign key ("end_user_account_id") references "end_user_account" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "watched_calendar" enable row level security;`);
    this.addSql(`alter table "watched_calendar" force row level security;`);
    this.addSql(
      `create policy "tenant" on "watched_calendar" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(
      `alter table "provider_channel" add constraint "provider_channel_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "provider_channel" add constraint "provider_channel_watched_calendar_id_foreign" foreign key ("watched_calendar_id") references "watched_calendar" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "provider_channel" enable row level security;`);
    this.addSql(`alter table "provider_channel" force row level security;`);
    this.addSql(
      `create policy "tenant" on "provider_channel" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(
      `alter table "webhook_endpoint" add constraint "webhook_endpoint_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "webhook_endpoint" add constraint "webhook_endpoint_watched_calendar_id_foreign" foreign key ("watched_calendar_id") references "watched_calendar" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "webhook_endpoint" enable row level security;`);
    this.addSql(`alter table "webhook_endpoint" force row level security;`);
    this.addSql(
      `create policy "tenant" on "webhook_endpoint" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(
      `alter table "webhook_message" add constraint "webhook_message_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "webhook_message" enable row level security;`);
    this.addSql(`alter table "webhook_message" force row level security;`);
    this.addSql(
      `create policy "tenant" on "webhook_message" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(
      `alter table "delivery_attempt" add constraint "delivery_attempt_message_id_foreign" foreign key ("message_id") references "webhook_message" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "delivery_attempt" enable row level security;`);
    this.addSql(`alter table "delivery_attempt" force row level security;`);
    this.addSql(
      `create policy "tenant" on "delivery_attempt" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "provider_channel" drop constraint "provider_channel_watched_calendar_id_foreign";`);
    this.addSql(`alter table "webhook_endpoint" drop constraint "webhook_endpoint_watched_calendar_id_foreign";`);
    this.addSql(`alter table "delivery_attempt" drop constraint "delivery_attempt_message_id_foreign";`);

    this.addSql(`drop table if exists "watched_calendar" cascade;`);
    this.addSql(`drop table if exists "provider_channel" cascade;`);
    this.addSql(`drop table if exists "webhook_endpoint" cascade;`);
    this.addSql(`drop table if exists "webhook_message" cascade;`);
    this.addSql(`drop table if exists "delivery_attempt" cascade;`);

    this.addSql(`alter table "application" drop column "enriches_webhooks";`);
  }
}
