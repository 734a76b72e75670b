import { Migration } from '@mikro-orm/migrations';

export class Migration20261121194815_application_deletion extends Migration {
  override name = 'Migration20261121194815_application_deletion';

  override up(): void | Promise<void> {
    this.addSql(`alter table "application" add "deletion_due_at" timestamptz(3) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "application" drop column "deletion_due_at";`);
  }
}
