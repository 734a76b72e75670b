import { Migration } from '@mikro-orm/migrations';

export class Migration20261123010015_signed_links extends Migration {
  override name = 'Migration20261123010015_signed_links';

  override up(): void | Promise<void> {
    this.addSql(`alter table "application" add "requires_signed_links" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "application" drop column "requires_signed_links";`);
  }
}
