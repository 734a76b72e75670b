import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261121063518_initial } from './Migration20261121063518_initial.js';
import { Migration20261121064000_application_role } from './Migration20261121064000_application_role.js';
import { Migration20261121092635_oauth } from './Migration20261121092635_oauth.js';
import { Migration20261121124036_provider_slots } from './Migration20261121124036_provider_slots.js';
import { Migration20261121134222_webhooks } from './Migration20261121134222_webhooks.js';
import { Migration20261121153753_webhook_options } from './Migration20261121153753_webhook_options.js';
import { Migration20261121160512_channel_upkeep } from './Migration20261121160512_channel_upkeep.js';
import { Migration20261121161100_look_causes } from './Migration20261121161100_look_causes.js';
import { Migration20261121172300_due_by_lane } from './Migration20261121172300_due_by_lane.js';
import { Migration20261121194051_operators } from './Migration20261121194051_operators.js';
import { Migration20261121194815_application_deletion } from './Migration20261121194815_application_deletion.js';
import { Migration20261121194950_oversight } from './Migration20261121194950_oversight.js';
import { Migration20261121231811_trace_parents } from './Migration20261121231811_trace_parents.js';
import { Migration20261122000300_noticed_changes } from './Migration20261122000300_noticed_changes.js';
import { Migration20261122045819_policy_estimates } from './Migration20261122045819_policy_estimates.js';
import { Migration20261123005040_contract_since_20261122045819_account_logins } from './Migration20261123005040_contract_since_20261122045819_account_logins.js';
import { Migration20261123010015_signed_links } from './Migration20261123010015_signed_links.js';
import { Migration20261123012200_operator_reauthentication } from './Migration20261123012200_operator_reauthentication.js';
import { Migration20261123074500_contract_since_20261122045819_logins_of_servers } from './Migration20261123074500_contract_since_20261122045819_logins_of_servers.js';

/** In order. A database with other applied migrations is newer than this build. */
export const MIGRATIONS: MigrationObject[] = [
  Migration20261121063518_initial,
  Migration20261121064000_application_role,
  Migration20261121092635_oauth,
  Migration20261121124036_provider_slots,
  Migration20261121134222_webhooks,
  Migration20261121153753_webhook_options,
  Migration20261121160512_channel_upkeep,
  Migration20261121161100_look_causes,
  Migration20261121172300_due_by_lane,
  Migration20261121194051_operators,
  Migration20261121194815_application_deletion,
  Migration20261121194950_oversight,
  Migration20261121231811_trace_parents,
  Migration20261122000300_noticed_changes,
  Migration20261122045819_policy_estimates,
  Migration20261123005040_contract_since_20261122045819_account_logins,
  Migration20261123010015_signed_links,
  Migration20261123012200_operator_reauthentication,
  Migration20261123074500_contract_since_20261122045819_logins_of_servers,
].map((migration) => ({ name: migration.name, class: migration }));
