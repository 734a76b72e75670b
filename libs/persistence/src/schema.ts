import type { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { retryUntilReady } from '#platform';
import { DatabaseUnavailable, isLockConflict, unavailability } from './database/database-errors.js';
import {
  APPLIED_MIGRATIONS,
  HAS_MIGRATIONS,
  LIMIT_LOCK_WAITS,
  LOCK_MIGRATIONS,
} from './database/database.statements.js';
import { admits, minimumMigrationOf, MIGRATION_NAMES } from './migrations/names.js';

/** Key of the advisory lock of migrations: concurrent deployments migrate one after the other. Any unique constant. */
const MIGRATION_LOCK = 7_215_880_210_443_129_847n;
const CONNECT_TIMEOUT_MS = 2_000;
/** Limits how long a migration that is blocked by busy tables goes on trying. */
const BLOCKED_MIGRATION_MS = 120_000;
const BLOCKED_MIGRATION_PAUSE_MS = 200;

export interface MigrationOutcome {
  applied: string[];
}

export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';

  /** @param migrations incompatible migrations (`newer`) or missing ones (`older`) */
  constructor(
    readonly kind: 'newer' | 'older',
    readonly migrations: string[],
  ) {
    super(kind === 'newer' ? describeNewer(migrations) : describeOlder(migrations));
  }
}

function describeNewer(migrations: string[]): string {
  const asked = migrations.map(
    (name) => `${name} asks for code that knows the migration of ${minimumMigrationOf(name)}`,
  );
  const newest = MIGRATION_NAMES.at(-1);
  return (
    `The database was migrated by a newer version, and this one cannot go on: ${asked.join(', ')}, ` +
    `and this one knows migrations up to ${newest}. Run that version or a newer one`
  );
}

function describeOlder(migrations: string[]): string {
  return `The database lacks ${migrations.length} migration(s) (${migrations.join(', ')}): run "ops migrate"`;
}

/**
 * Safe to run concurrently, and by an older version after a rollback. @throws SchemaMismatch when the database is newer
 */
export async function migrate(databaseUrl: string): Promise<MigrationOutcome> {
  const lock = new pg.Client({ connectionString: databaseUrl, application_name: 'unified-calendar migrate' });
  // Its loss also ends the connection of the migration, whose statement reports it.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query(LOCK_MIGRATIONS, [String(MIGRATION_LOCK)]);
    assertNotNewer(await appliedMigrations(lock));
    return { applied: await withMigrator(databaseUrl, applyMigrations) };
  } finally {
    await lock.end();
  }
}

/**
 * Writes the migration from the newest schema to the current entities, with its snapshot, next to the others.
 *
 * @param databaseUrl an empty database
 * @returns its file, null when the entities say nothing new, and the statements that break the version before, with reasons
 */
export async function createMigration(databaseUrl: string, name: string | undefined) {
  const { breakingStatements } = await import('./migrations/breaking-statements.js');
  return withMigrator(databaseUrl, async ({ migrator }) => {
    await migrator.up();
    const { fileName, diff } = await migrator.create(undefined, false, false, name);
    return { fileName: fileName === '' ? null : fileName, breaking: breakingStatements(diff.up) };
  });
}

/** Loads MikroORM's migrator and its schema tools on demand: serving needs neither. */
async function withMigrator<T>(databaseUrl: string, work: (orm: MikroORM) => Promise<T>): Promise<T> {
  const { MikroORM } = await import('@mikro-orm/postgresql');
  const { ormConfig } = await import('./orm.config.js');
  const orm = await MikroORM.init(ormConfig(databaseUrl));
  try {
    return await work(orm);
  } finally {
    await orm.close();
  }
}

/**
 * A migration locks whole tables, in another order than the requests of the running version. It gives up its locks
 * before a request that waits for them counts as a deadlock, and begins anew.
 */
async function applyMigrations({ em, migrator }: MikroORM): Promise<string[]> {
  const apply = () =>
    em.transactional(async (transaction) => {
      await transaction.execute(LIMIT_LOCK_WAITS);
      const context: unknown = transaction.getTransactionContext();
      const applied = await migrator.up({ transaction: context });
      return applied.map(({ name }) => name);
    });
  return retryUntilReady(apply, {
    waitMs: BLOCKED_MIGRATION_MS,
    everyMs: BLOCKED_MIGRATION_PAUSE_MS,
    isPending: isLockConflict,
    onWait: () => undefined,
  });
}

/** @throws SchemaMismatch, DatabaseUnavailable */
export async function verifySchema(databaseUrl: string, timeoutMs: number): Promise<void> {
  const missing = await missingMigrations(databaseUrl, timeoutMs);
  if (missing.length > 0) throw new SchemaMismatch('older', missing);
}

/** Migrations that {@link migrate} would apply. @throws SchemaMismatch when the database is newer, DatabaseUnavailable */
export async function missingMigrations(databaseUrl: string, timeoutMs: number): Promise<string[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => undefined); // the failing statement reports it
  try {
    await client.connect();
    const applied = await appliedMigrations(client);
    assertNotNewer(applied);
    return MIGRATION_NAMES.filter((name) => !applied.includes(name));
  } catch (error) {
    if (error instanceof SchemaMismatch) throw error;
    throw unavailability(error) ?? error;
  } finally {
    await client.end();
  }
}

/**
 * Waits up to `waitMs` for migrations or the database. Exiting instead would cause restarts with growing back-off.
 * @param onWait called once, with the reason
 */
export async function awaitSchema(databaseUrl: string, waitMs: number, onWait: (reason: Error) => void): Promise<void> {
  await retryUntilReady(() => verifySchema(databaseUrl, CONNECT_TIMEOUT_MS), { waitMs, isPending, onWait });
}

function isPending(error: unknown): error is Error {
  return error instanceof DatabaseUnavailable || (error instanceof SchemaMismatch && error.kind === 'older');
}

function assertNotNewer(applied: string[]): void {
  const unknown = applied.filter((name) => !MIGRATION_NAMES.includes(name));
  const incompatible = unknown.filter((name) => !admits(name, MIGRATION_NAMES));
  if (incompatible.length > 0) throw new SchemaMismatch('newer', incompatible);
}

async function appliedMigrations(client: pg.Client): Promise<string[]> {
  const table = await client.query<{ found: boolean }>(HAS_MIGRATIONS);
  if (table.rows[0]?.found !== true) return [];
  const { rows } = await client.query<{ name: string }>(APPLIED_MIGRATIONS);
  return rows.map(({ name }) => name);
}
