import { Migration } from '@mikro-orm/migrations';

export class Migration20261121161100_look_causes extends Migration {
  override name = 'Migration20261121161100_look_causes';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "watched_calendar" add "hints_seen" bigint not null default 0, add "last_push" bigint not null default 0;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "watched_calendar" drop column "hints_seen", drop column "last_push";`);
  }
}
