import { Migration } from '@mikro-orm/migrations';

export class Migration20261121194950_oversight extends Migration {
  override name = 'Migration20261121194950_oversight';

  override up(): void | Promise<void> {
    this.addSql(`alter table "account_health" add "checked_at" timestamptz(3) null;`);

    this.addSql(
      `create index "request_record_unusual" on "request_record" ("started_at", "id") where "status" >= 300;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "account_health" drop column "checked_at";`);

    this.addSql(`drop index "request_record_unusual";`);
  }
}
