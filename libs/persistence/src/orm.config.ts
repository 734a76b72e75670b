import type { Options } from '@mikro-orm/postgresql';
import { defineConfig } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { fileURLToPath } from 'node:url';
import { ENTITIES } from './entities/index.js';
import { MIGRATIONS } from './migrations/index.js';

const sources = fileURLToPath(new URL('./migrations', import.meta.url)).replace('/dist/', '/');

export function ormConfig(databaseUrl?: string): Options {
  return defineConfig({
    ...(databaseUrl === undefined ? { dbName: 'unified_calendar' } : { clientUrl: databaseUrl }),
    entities: ENTITIES,
    extensions: [Migrator],
    timezone: 'UTC',
    discovery: { warnWhenNoEntities: false },
    // Without `ensureDatabase`, which would need the right to create databases.
    schemaGenerator: { ignoreSchema: ['bullmq'] },
    migrations: {
      migrationsList: MIGRATIONS,
      path: sources,
      pathTs: sources,
      emit: 'ts',
      snapshotName: 'schema-snapshot',
      snapshotOnMigrate: false,
      // The caller reports; MikroORM would write to stdout, which belongs to the result of the command.
      silent: true,
      transactional: true,
      allOrNothing: true,
    },
  });
}
