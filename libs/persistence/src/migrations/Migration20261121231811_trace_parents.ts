import { Migration } from '@mikro-orm/migrations';

export class Migration20261121231811_trace_parents extends Migration {
  override name = 'Migration20261121231811_trace_parents';

  override up(): void | Promise<void> {
    this.addSql(`alter table "outbox" add "trace_parent" text null;`);

    this.addSql(`alter table "watched_calendar" add "trace_parent" text null;`);

    this.addSql(`alter table "webhook_message" add "trace_parent" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "outbox" drop column "trace_parent";`);

    this.addSql(`alter table "watched_calendar" drop column "trace_parent";`);

    this.addSql(`alter table "webhook_message" drop column "trace_parent";`);
  }
}
