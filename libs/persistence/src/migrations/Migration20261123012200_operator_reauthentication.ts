import { Migration } from '@mikro-orm/migrations';

export class Migration20261123012200_operator_reauthentication extends Migration {
  override name = 'Migration20261123012200_operator_reauthentication';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "operator_session" add "authenticated_at" timestamptz(3) null, add "device" text null, add "network" text null, add "last_used_at" timestamptz(3) null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "operator_session" drop column "authenticated_at", drop column "device", drop column "network", drop column "last_used_at";`,
    );
  }
}
