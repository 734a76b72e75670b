import { Migration } from '@mikro-orm/migrations';

/**
 * CALDAV accounts are the same by their exact login. What the index before allowed, this one allows too, so that the code
 * of before goes on; a unique index has to say so.
 */
export class Migration20261123005040_contract_since_20261122045819_account_logins extends Migration {
  override name = 'Migration20261123005040_contract_since_20261122045819_account_logins';

  override up(): void {
    this.addSql(
      `create unique index "end_user_account_of_login" on "end_user_account" ("application_id", "provider_type", (case "provider_type" when 'CALDAV' then "email" else lower("email") end), "server_url") nulls not distinct where "provider_account_id" is null;`,
    );
    this.addSql(`drop index "end_user_account_of_address";`);
  }

  /** Fails while there are accounts whose logins differ in case alone. */
  override down(): void {
    this.addSql(
      `create unique index "end_user_account_of_address" on "end_user_account" ("application_id", "provider_type", lower("email"), "server_url") nulls not distinct where "provider_account_id" is null;`,
    );
    this.addSql(`drop index "end_user_account_of_login";`);
  }
}
