import pg from 'pg';
import { unavailability } from './database/database-errors.js';
import { MIGRATION_NAMES } from './migrations/names.js';

/** Held while migrating: two deployments started at once migrate one after the other. Any constant, ours alone. */
const MIGRATION_LOCK = 7_215_880_210_443_129_847n;
const MIGRATIONS_TABLE = 'mikro_orm_migrations';

export interface MigrationOutcome {
  /** Names of the migrations that were applied, in order. */
  applied: string[];
}

/** The database's schema is not the one that this build was made for. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';

  constructor(
    readonly kind: 'newer' | 'older',
    readonly migrations: string[],
  ) {
    super(
      kind === 'newer'
        ? `The database was migrated by a newer version (${migrations.join(', ')}): run that version or a newer one`
        : `The database lacks ${migrations.length} migration(s) (${migrations.join(', ')}): run "ops migrate"`,
    );
  }
}

/**
 * Brings the schema up to date, or does nothing. Safe to run from several processes at once.
 * @throws SchemaMismatch when the database is newer than this build
 */
export async function migrate(databaseUrl: string): Promise<MigrationOutcome> {
  const lock = new pg.Client({ connectionString: databaseUrl, application_name: 'unified-calendar migrate' });
  // Its loss ends the migration's connection too, and is reported by the statement that meets it.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [String(MIGRATION_LOCK)]);
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

/** @throws SchemaMismatch, DatabaseUnavailable */
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

function refuseNewer(applied: string[]): void {
  const known = new Set(MIGRATION_NAMES);
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new SchemaMismatch('newer', unknown);
}

async function appliedMigrations(client: pg.Client): Promise<string[]> {
  const table = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    MIGRATIONS_TABLE,
  ]);
  if (table.rows[0]?.found !== true) return [];
  const { rows } = await client.query<{ name: string }>(`select name from ${MIGRATIONS_TABLE} order by id`);
  return rows.map(({ name }) => name);
}
