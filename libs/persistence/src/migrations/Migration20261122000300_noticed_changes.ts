import { Migration } from '@mikro-orm/migrations';

export class Migration20261122000300_noticed_changes extends Migration {
  override name = 'Migration20261122000300_noticed_changes';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "watched_calendar" add "hinted_at" timestamptz(3) null, add "noticed_at" timestamptz(3) null;`,
    );

    this.addSql(`alter table "webhook_message" add "noticed_at" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "watched_calendar" drop column "hinted_at", drop column "noticed_at";`);

    this.addSql(`alter table "webhook_message" drop column "noticed_at";`);
  }
}
