import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from './processes.js';

/** A fresh, migrated database of a test file. */
export interface TestDatabase {
  /** For the application: owner of the database, no superuser. */
  url: string;
  /** The same database for a superuser: sees every row, does anything. */
  adminUrl: string;
  /** Ends all connections to it and drops it. */
  drop(): Promise<void>;
}

interface Server {
  /** Superuser, maintenance database. */
  adminUrl: string;
  /** Role that is to own the databases, with its password. */
  owner: string;
  password: string;
}

/** Losing a test database in a power cut is fine. */
const FAST = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'shared_buffers=64MB'];
const TEMPLATE_LOCK = 8_157_732_041;

/**
 * A database of its own, copied from a migrated template (some 50 ms).
 *
 * The server is the one at `TEST_DATABASE_URL` (a superuser's), else one that the first suite of this process of
 * Jest starts and all later ones use; it ends with the process, however that ends.
 */
export async function createTestDatabase(options: { migrated?: boolean } = {}): Promise<TestDatabase> {
  const server = await findServer();
  const template = options.migrated === false ? 'template1' : await ensureTemplate(server);
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asAdmin(server.adminUrl, async (admin) => {
    await admin.query(`create database ${name} owner ${server.owner} template ${template}`);
  });
  return {
    url: onDatabase(server.adminUrl, name, server),
    adminUrl: onDatabase(server.adminUrl, name),
    drop: () =>
      asAdmin(server.adminUrl, async (admin) => {
        await admin.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

/** Runs statements as superuser on a test database. */
export async function asAdmin<T>(adminUrl: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/** Resolves when another session waits for a lock on the table. */
export async function untilAnotherWaitsFor(admin: pg.Client, table: string): Promise<void> {
  await eventually(`another session waits for ${table}`, async () => {
    const waiting = 'select 1 from pg_locks where not granted and relation = $1::regclass';
    const { rowCount } = await admin.query(waiting, [table]);
    return rowCount === 1 ? true : undefined;
  });
}

/** Whether anybody reaches a test database. Without that, whoever is connected to it is cut off. */
export async function allowConnections(
  { adminUrl }: Pick<TestDatabase, 'adminUrl'>,
  isAllowed: boolean,
): Promise<void> {
  const url = new URL(adminUrl);
  const name = url.pathname.slice(1);
  await asAdmin(new URL('/postgres', url).href, async (admin) => {
    await admin.query(`alter database ${name} with allow_connections ${isAllowed}`);
    if (isAllowed) return;
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  });
}

async function ensureTemplate(server: Server): Promise<string> {
  // One per worker process and server: a run over changed migrations never meets an old one.
  const name = `template_${process.pid}`;
  await asAdmin(server.adminUrl, async (admin) => {
    await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const found = await admin.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rowCount !== 0) return;
    await admin.query(`create database ${name}_making owner ${server.owner}`);
    const making = onDatabase(server.adminUrl, `${name}_making`, server);
    // What this needs takes a second to load, and only the first file of a worker process has a use for it.
    const [{ migrate }, { migrateQueueSchema }] = await Promise.all([import('#persistence'), import('#jobs')]);
    await migrate(making);
    await migrateQueueSchema(making);
    await admin.query(`alter database ${name}_making rename to ${name}`);
  });
  return name;
}

async function findServer(): Promise<Server> {
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined && given !== '') {
    await asAdmin(given, async (admin) => {
      await admin.query(`
        do $$ begin
          create role test_owner login password 'test_owner';
        exception when duplicate_object or unique_violation then null; end $$`);
    });
    return { adminUrl: given, owner: 'test_owner', password: 'test_owner' };
  }
  own ??= startServer();
  return own;
}

/** That of all suites of this process. */
let own: Promise<Server> | undefined;

async function startServer(): Promise<Server> {
  const directory = join(tmpdir(), `unified-calendar-test-postgres-${process.pid}`);
  await mkdir(directory, { recursive: true });
  const { EmbeddedPostgres } = await import('../../apps/stack/src/postgres/embedded-postgres.js');
  const server = new EmbeddedPostgres({ directory, settings: FAST });
  const { url, adminUrl } = await server.start();
  endWithThisProcess(server.pid as number, directory);
  const { username, password } = new URL(url);
  return { adminUrl, owner: username, password };
}

/** Exit handlers would miss a kill: a small watcher of its own stops the server and removes its files. */
function endWithThisProcess(serverPid: number, directory: string): void {
  const script = `
    while kill -0 ${process.pid} 2>/dev/null && kill -0 ${serverPid} 2>/dev/null; do sleep 0.5; done
    kill -INT ${serverPid} 2>/dev/null
    for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 ${serverPid} 2>/dev/null || break; sleep 0.2; done
    kill -KILL ${serverPid} 2>/dev/null
    rm -rf "$1"`;
  spawn('sh', ['-c', script, 'sh', directory], { detached: true, stdio: 'ignore' }).unref();
}

function onDatabase(url: string, database: string, login?: { owner: string; password: string }): string {
  const result = new URL(url);
  result.pathname = `/${database}`;
  if (login !== undefined) {
    result.username = login.owner;
    result.password = login.password;
  }
  return result.href;
}
