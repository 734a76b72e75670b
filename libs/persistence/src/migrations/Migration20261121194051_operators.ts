import { Migration } from '@mikro-orm/migrations';

export class Migration20261121194051_operators extends Migration {
  override name = 'Migration20261121194051_operators';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "operator" ("id" uuid not null, "email" text not null, "name" text not null, "role" text not null, "password_hash" text null, "issuer" text null, "subject" text null, "created_at" timestamptz(3) not null, "last_login_at" timestamptz(3) null, primary key ("id"));`,
    );
    this.addSql(`alter table "operator" add constraint "operator_email" unique ("email");`);
    this.addSql(
      `create unique index "operator_identity" on "operator" ("issuer", "subject") where "subject" is not null;`,
    );

    this.addSql(
      `create table "operator_invitation" ("id" uuid not null, "token_hash" bytea not null, "email" text null, "role" text not null, "invited_by_id" uuid null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`alter table "operator_invitation" add constraint "operator_invitation_token" unique ("token_hash");`);
    this.addSql(`create index "operator_invitation_invited_by_id_index" on "operator_invitation" ("invited_by_id");`);
    this.addSql(`create index "operator_invitation_expires_at_index" on "operator_invitation" ("expires_at");`);

    this.addSql(
      `create table "operator_login_failure" ("subject_hash" bytea not null, "failures" int not null, "blocked_until" timestamptz(3) null, "last_at" timestamptz(3) not null, primary key ("subject_hash"));`,
    );
    this.addSql(`create index "operator_login_failure_last_at_index" on "operator_login_failure" ("last_at");`);

    this.addSql(
      `create table "operator_session" ("secret_hash" bytea not null, "operator_id" uuid not null, "created_at" timestamptz(3) not null, "idle_until" timestamptz(3) not null, "ends_at" timestamptz(3) not null, primary key ("secret_hash"));`,
    );
    this.addSql(`create index "operator_session_operator_id_index" on "operator_session" ("operator_id");`);
    this.addSql(`create index "operator_session_ends_at_index" on "operator_session" ("ends_at");`);

    this.addSql(
      `create table "operator_sign_on" ("id" uuid not null, "state_hash" bytea not null, "secret" bytea not null, "expires_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`alter table "operator_sign_on" add constraint "operator_sign_on_state" unique ("state_hash");`);
    this.addSql(`create index "operator_sign_on_expires_at_index" on "operator_sign_on" ("expires_at");`);

    this.addSql(
      `create table "account_status_change" ("id" uuid not null, "application_id" uuid not null, "account_id" uuid not null, "status" text not null, "reason" text null, "changed_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(
      `create index "account_status_change_of_account" on "account_status_change" ("account_id", "changed_at");`,
    );

    this.addSql(
      `create table "request_record" ("id" uuid not null, "request_id" text not null, "started_at" timestamptz(3) not null, "method" text not null, "route" text not null, "status" int not null, "error_code" text null, "duration_ms" int not null, "application_id" uuid null, "api_key_id" text null, "account_id" uuid null, "provider_type" text null, primary key ("id"));`,
    );
    this.addSql(`create index "request_record_request_id_index" on "request_record" ("request_id");`);
    this.addSql(`create index "request_record_newest_first" on "request_record" ("started_at", "id");`);
    this.addSql(`create index "request_record_of_application" on "request_record" ("application_id", "started_at");`);
    this.addSql(
      `create index "request_record_of_account" on "request_record" ("account_id", "started_at") where "account_id" is not null;`,
    );

    this.addSql(
      `create table "sign_in_test" ("id" uuid not null, "application_id" uuid not null, "provider_type" text not null, "state" text not null, "email" text null, "granted_scopes" text[] not null, "missing_scopes" text[] not null, "has_refresh_token" boolean null, "error_code" text null, "error_message" text null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`create index "sign_in_test_application_id_index" on "sign_in_test" ("application_id");`);
    this.addSql(`create index "sign_in_test_created_at_index" on "sign_in_test" ("created_at");`);

    this.addSql(`alter table "application" add "environment" text not null default 'development';`);

    this.addSql(`alter table "audit_entry" alter column "application_id" drop not null;`);

    this.addSql(`create index "webhook_message_failed" on "webhook_message" ("id") where "state" = 'failed';`);

    this.addSql(`create index "delivery_attempt_by_time" on "delivery_attempt" ("started_at");`);

    this.addSql(`alter table "operator" enable row level security;`);
    this.addSql(`alter table "operator" force row level security;`);
    this.addSql(
      `create policy "system" on "operator" using (current_setting('app.application_id', true) = 'system') with check (current_setting('app.application_id', true) = 'system');`,
    );

    this.addSql(
      `alter table "operator_invitation" add constraint "operator_invitation_invited_by_id_foreign" foreign key ("invited_by_id") references "operator" ("id") on delete set null;`,
    );
    this.addSql(`alter table "operator_invitation" enable row level security;`);
    this.addSql(`alter table "operator_invitation" force row level security;`);
    this.addSql(
      `create policy "system" on "operator_invitation" using (current_setting('app.application_id', true) = 'system') with check (current_setting('app.application_id', true) = 'system');`,
    );

    this.addSql(`alter table "operator_login_failure" enable row level security;`);
    this.addSql(`alter table "operator_login_failure" force row level security;`);
    this.addSql(
      `create policy "system" on "operator_login_failure" using (current_setting('app.application_id', true) = 'system') with check (current_setting('app.application_id', true) = 'system');`,
    );

    this.addSql(
      `alter table "operator_session" add constraint "operator_session_operator_id_foreign" foreign key ("operator_id") references "operator" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "operator_session" enable row level security;`);
    this.addSql(`alter table "operator_session" force row level security;`);
    this.addSql(
      `create policy "system" on "operator_session" using (current_setting('app.application_id', true) = 'system') with check (current_setting('app.application_id', true) = 'system');`,
    );

    this.addSql(`alter table "operator_sign_on" enable row level security;`);
    this.addSql(`alter table "operator_sign_on" force row level security;`);
    this.addSql(
      `create policy "system" on "operator_sign_on" using (current_setting('app.application_id', true) = 'system') with check (current_setting('app.application_id', true) = 'system');`,
    );

    this.addSql(
      `alter table "account_status_change" add constraint "account_status_change_account_id_foreign" foreign key ("account_id") references "end_user_account" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "account_status_change" enable row level security;`);
    this.addSql(`alter table "account_status_change" force row level security;`);
    this.addSql(
      `create policy "tenant" on "account_status_change" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );

    this.addSql(`alter table "request_record" enable row level security;`);
    this.addSql(`alter table "request_record" force row level security;`);
    this.addSql(
      `create policy "system" on "request_record" using (current_setting('app.application_id', true) = 'system') with check (current_setting('app.application_id', true) = 'system');`,
    );

    this.addSql(
      `alter table "sign_in_test" add constraint "sign_in_test_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "sign_in_test" enable row level security;`);
    this.addSql(`alter table "sign_in_test" force row level security;`);
    this.addSql(
      `create policy "tenant" on "sign_in_test" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "operator_invitation" drop constraint "operator_invitation_invited_by_id_foreign";`);
    this.addSql(`alter table "operator_session" drop constraint "operator_session_operator_id_foreign";`);

    this.addSql(`drop table if exists "operator" cascade;`);
    this.addSql(`drop table if exists "operator_invitation" cascade;`);
    this.addSql(`drop table if exists "operator_login_failure" cascade;`);
    this.addSql(`drop table if exists "operator_session" cascade;`);
    this.addSql(`drop table if exists "operator_sign_on" cascade;`);
    this.addSql(`drop table if exists "account_status_change" cascade;`);
    this.addSql(`drop table if exists "request_record" cascade;`);
    this.addSql(`drop table if exists "sign_in_test" cascade;`);

    this.addSql(`alter table "application" drop column "environment";`);

    this.addSql(`alter table "audit_entry" alter column "application_id" set not null;`);

    this.addSql(`drop index "delivery_attempt_by_time";`);

    this.addSql(`drop index "webhook_message_failed";`);
  }
}
