import pg from 'pg';
import { patiently } from '#platform';
import { DatabaseUnavailable, unavailability } from './database/database-errors.js';
import { APPLIED_MIGRATIONS, HAS_MIGRATIONS, LOCK_MIGRATIONS } from './database/database.statements.js';
import { admits, floorOf } from './migrations/floor.js';
import { MIGRATION_NAMES } from './migrations/names.js';

/** Held while migrating: two deployments started at once migrate one after the other. Any constant, ours alone. */
const MIGRATION_LOCK = 7_215_880_210_443_129_847n;
const CONNECT_TIMEOUT_MS = 2_000;

export interface MigrationOutcome {
  /** Names of the migrations that were applied, in order. */
  applied: string[];
}

/** The database's schema is none that this build can run on. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';

  /** @param migrations those that keep this build out, or that it lacks */
  constructor(
    readonly kind: 'newer' | 'older',
    readonly migrations: string[],
  ) {
    super(kind === 'newer' ? describeNewer(migrations) : describeOlder(migrations));
  }
}

function describeNewer(migrations: string[]): string {
  const asked = migrations.map((name) => `${name} asks for code that knows the migration of ${floorOf(name)}`);
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
 * Brings the schema up to date, or does nothing. Safe to run from several processes at once, and by a version that is
 * rolled back to.
 * @throws SchemaMismatch when the database is newer than this build can go on with
 */
export async function migrate(databaseUrl: string): Promise<MigrationOutcome> {
  const lock = new pg.Client({ connectionString: databaseUrl, application_name: 'unified-calendar migrate' });
  // Its loss ends the migration's connection too, and is reported by the statement that meets it.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query(LOCK_MIGRATIONS, [String(MIGRATION_LOCK)]);
    refuseNewer(await appliedMigrations(lock));
    // Loaded here alone: serving needs neither the mapper nor its schema tools.
    const { MikroORM } = await import('@mikro-orm/postgresql');
    const { ormConfig } = await import('./orm.config.js');
    const orm = await MikroORM.init(ormConfig(databaseUrl));
    try {
      return { applied: (await orm.migrator.up()).map(({ name }) => name) };
    } finally {
      await orm.close();
    }
  } finally {
    await lock.end();
  }
}

/**
 * Whether this build can run on the schema that is there: it has all that the build asks for, and if it is newer, nothing
 * that keeps the build out.
 * @throws SchemaMismatch, DatabaseUnavailable
 */
export async function verifySchema(databaseUrl: string, timeoutMs: number): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => undefined); // the statement that meets it reports it
  try {
    await client.connect();
    const applied = await appliedMigrations(client);
    refuseNewer(applied);
    const missing = MIGRATION_NAMES.filter((name) => !applied.includes(name));
    if (missing.length > 0) throw new SchemaMismatch('older', missing);
  } catch (error) {
    if (error instanceof SchemaMismatch) throw error;
    throw unavailability(error) ?? error;
  } finally {
    await client.end();
  }
}

/**
 * {@link verifySchema}, and patience with what passes: migrations that run at the same time as a rollout, a database that
 * is just being replaced. A process that ended instead would be started again after longer and longer pauses.
 * @param onWait told once, of what is waited for
 */
export async function awaitSchema(databaseUrl: string, waitMs: number, onWait: (reason: Error) => void): Promise<void> {
  await patiently(() => verifySchema(databaseUrl, CONNECT_TIMEOUT_MS), { waitMs, isPending, onWait });
}

function isPending(error: unknown): error is Error {
  return error instanceof DatabaseUnavailable || (error instanceof SchemaMismatch && error.kind === 'older');
}

function refuseNewer(applied: string[]): void {
  const unknown = applied.filter((name) => !MIGRATION_NAMES.includes(name));
  const refusing = unknown.filter((name) => !admits(name, MIGRATION_NAMES));
  if (refusing.length > 0) throw new SchemaMismatch('newer', refusing);
}

async function appliedMigrations(client: pg.Client): Promise<string[]> {
  const table = await client.query<{ found: boolean }>(HAS_MIGRATIONS);
  if (table.rows[0]?.found !== true) return [];
  const { rows } = await client.query<{ name: string }>(APPLIED_MIGRATIONS);
  return rows.map(({ name }) => name);
}
