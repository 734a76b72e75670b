import { Migration } from '@mikro-orm/migrations';

/**
 * Whether a login counts in its exact case follows from the row: from the server that the user chose. Accounts have a server
 * exactly where they had the type that this index named before, so that the code of before goes on; a unique index has to
 * say so.
 */
export class Migration20261123074500_contract_since_20261122045819_logins_of_servers extends Migration {
  override name = 'Migration20261123074500_contract_since_20261122045819_logins_of_servers';

  override up(): void {
    this.addSql(`drop index "end_user_account_of_login";`);
    this.addSql(
      `create unique index "end_user_account_of_login" on "end_user_account" ("application_id", "provider_type", (case when "server_url" is null then lower("email") else "email" end), "server_url") nulls not distinct where "provider_account_id" is null;`,
    );
  }
}
