import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261121063518_initial } from './Migration20261121063518_initial.js';
import { Migration20261121064000_application_role } from './Migration20261121064000_application_role.js';
import { Migration20261122045819_policy_estimates } from './Migration20261122045819_policy_estimates.js';
import { Migration20261123074500_contract_since_20261122045819_logins_of_servers } from './Migration20261123074500_contract_since_20261122045819_logins_of_servers.js';

/** In order. A database with other applied migrations is newer than this build. */
export const MIGRATIONS: MigrationObject[] = [
  Migration20261121063518_initial,
  Migration20261121064000_application_role,
  Migration20261122045819_policy_estimates,
  Migration20261123074500_contract_since_20261122045819_logins_of_servers,
].map((migration) => ({ name: migration.name, class: migration }));
