/**
 * Writes the migration from the newest schema to the current entities, with its snapshot, next to the others: `node
 * dist/libs/persistence/src/create-migration.js <name>`. Read it, then add it to migrations/index.ts and names.ts.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import { EmbeddedPostgres } from './embedded/embedded-postgres.js';
import { breakingStatements } from './migrations/breaking-statements.js';
import { ormConfig } from './orm.config.js';

const directory = await mkdtemp(join(tmpdir(), 'create-migration-'));
const server = new EmbeddedPostgres({ directory });
try {
  const { url } = await server.start();
  const orm = await MikroORM.init(ormConfig(url));
  try {
    await orm.migrator.up();
    const { fileName, diff } = await orm.migrator.create(undefined, false, false, process.argv[2]);
    process.stdout.write(fileName === '' ? 'The entities say nothing new.\n' : `${fileName}\n`);
    for (const { statement, how } of breakingStatements(diff.up)) {
      process.stdout.write(`Breaks the version before, since it ${how} (docs/operations/README.md): ${statement}\n`);
    }
  } finally {
    await orm.close();
  }
} finally {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
