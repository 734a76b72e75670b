import { Migration } from '@mikro-orm/migrations';

export class Migration20261121160512_channel_upkeep extends Migration {
  override name = 'Migration20261121160512_channel_upkeep';

  override up(): void | Promise<void> {
    this.addSql(`alter table "watched_calendar" add "upkeep_failures" int not null default 0;`);

    this.addSql(
      `alter table "provider_channel" add "renew_at" timestamptz(3) null, add "renewed_at" timestamptz(3) null, add "silent_finds" int not null default 0;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "watched_calendar" drop column "upkeep_failures";`);

    this.addSql(
      `alter table "provider_channel" drop column "renew_at", drop column "renewed_at", drop column "silent_finds";`,
    );
  }
}
