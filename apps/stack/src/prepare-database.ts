import { migrateQueueSchema } from '#jobs';
import { migrate, SchemaMismatch, verifySchema } from '#persistence';

/**
 * The check costs one query; a migration loads the whole mapper.
 * @throws SchemaMismatch when the database is newer than this build
 */
export async function bringUpToDate(databaseUrl: string): Promise<void> {
  try {
    await verifySchema(databaseUrl, 10_000);
  } catch (error) {
    if (!(error instanceof SchemaMismatch) || error.kind === 'newer') throw error;
    await migrate(databaseUrl);
  }
  await migrateQueueSchema(databaseUrl);
}
