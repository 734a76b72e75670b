import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261125000000_initial } from './Migration20261125000000_initial.js';

/** In order. A database with other applied migrations is newer than this build. */
export const MIGRATIONS: MigrationObject[] = [Migration20261125000000_initial].map((migration) => ({
  name: migration.name,
  class: migration,
}));
