import { Migration } from '@mikro-orm/migrations';

export class Migration20261121124036_provider_slots extends Migration {
  override name = 'Migration20261121124036_provider_slots';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "provider_slot" ("application_id" uuid not null, "account_id" text not null, "slot" int not null, "lease_id" uuid not null, "leased_until" timestamptz(3) not null, "taken_at" timestamptz(3) not null, "wanted_by" uuid null, "wanted_until" timestamptz(3) null, primary key ("application_id", "account_id", "slot"));`,
    );
    // Leases of seconds, written at almost every operation: not worth the write-ahead log.
    this.addSql(`alter table "provider_slot" set unlogged;`);

    this.addSql(
      `alter table "provider_slot" add constraint "provider_slot_application_id_foreign" foreign key ("application_id") references "application" ("id") on delete cascade;`,
    );
    this.addSql(`alter table "provider_slot" enable row level security;`);
    this.addSql(`alter table "provider_slot" force row level security;`);
    this.addSql(
      `create policy "tenant" on "provider_slot" using (current_setting('app.application_id', true) in (application_id::text, 'system')) with check (current_setting('app.application_id', true) in (application_id::text, 'system'));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "provider_slot" cascade;`);
  }
}
