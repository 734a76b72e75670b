/**
 * Writes the migration from the newest schema to the current entities, with its snapshot, into
 * libs/persistence/src/migrations: `node dist/apps/stack/src/postgres/create-migration.js <name>`. Read it, then add it to
 * index.ts and names.ts there.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMigration } from '#persistence';
import { EmbeddedPostgres } from './embedded-postgres.js';

const directory = await mkdtemp(join(tmpdir(), 'create-migration-'));
const server = new EmbeddedPostgres({ directory });
try {
  const { url } = await server.start();
  const { fileName, breaking } = await createMigration(url, process.argv[2]);
  process.stdout.write(`${fileName ?? 'The entities say nothing new.'}\n`);
  for (const { statement, how } of breaking) {
    process.stdout.write(`Breaks the version before, since it ${how} (docs/operations/README.md): ${statement}\n`);
  }
} finally {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
