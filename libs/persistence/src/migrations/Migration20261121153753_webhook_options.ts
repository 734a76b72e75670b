import { Migration } from '@mikro-orm/migrations';

export class Migration20261121153753_webhook_options extends Migration {
  override name = 'Migration20261121153753_webhook_options';

  override up(): void | Promise<void> {
    this.addSql(`alter table "application" add "polls_calendars" boolean not null default false;`);

    this.addSql(
      `alter table "watched_calendar" add "calm_at" timestamptz(3) null, add "look_deaths" int not null default 0;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "application" drop column "polls_calendars";`);

    this.addSql(`alter table "watched_calendar" drop column "calm_at", drop column "look_deaths";`);
  }
}
