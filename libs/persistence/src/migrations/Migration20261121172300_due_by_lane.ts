import { Migration } from '@mikro-orm/migrations';

export class Migration20261121172300_due_by_lane extends Migration {
  override name = 'Migration20261121172300_due_by_lane';

  override up(): void | Promise<void> {
    this.addSql(
      `create index "webhook_message_due" on "webhook_message" (("tries" = 0), "wake_at", "id") where "wake_at" is not null;`,
    );
    this.addSql(`drop index "webhook_message_to_wake";`);
  }

  override down(): void | Promise<void> {
    this.addSql(
      `create index "webhook_message_to_wake" on "webhook_message" ("wake_at", "id") where "wake_at" is not null;`,
    );
    this.addSql(`drop index "webhook_message_due";`);
  }
}
