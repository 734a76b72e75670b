import { chown, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverOwner } from '../../apps/stack/src/postgres/server-account.js';
import { asAdmin } from './postgres.js';
import { freePort, runProgram, startServer, temporaryDirectory } from './processes.js';

const INSTALLED = '/usr/lib/postgresql';
const SUPERUSER = 'postgres';
/** As in production, but for a power cut. */
const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'shared_buffers=64MB'];

export interface DebianPostgres {
  /** Of the superuser, on the maintenance database. */
  readonly adminUrl: string;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * A PostgreSQL of the distribution (15 on Debian 12: the oldest that the service runs on), empty, on loopback. Its
 * `pg_dump` and `pg_restore`, which the embedded server comes without, are on the PATH.
 */
export async function startDebianPostgres(): Promise<DebianPostgres> {
  const versions = await readdir(INSTALLED);
  const newest = Math.max(...versions.map(Number).filter((version) => !Number.isNaN(version)));
  const program = (name: string) => join(INSTALLED, String(newest), 'bin', name);
  const directory = await temporaryDirectory('debian-postgres');
  const cluster = join(directory.path, 'cluster');
  const password = join(directory.path, 'password');
  try {
    const asServer = await serverAccount(directory.path);
    await writeFile(password, 'superuser', { mode: 0o644 });
    const init = ['--pgdata', cluster, '--username', SUPERUSER, '--pwfile', password, '--auth=scram-sha-256'];
    const made = runProgram(...asServer(program('initdb'), [...init, '--encoding=UTF8', '--locale=C', '--no-sync']));
    if ((await made.exited) !== 0) throw new Error(`initdb failed: ${made.stderr()}`);
    const port = await freePort();
    const adminUrl = `postgresql://${SUPERUSER}:superuser@127.0.0.1:${port}/postgres`;
    const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
    const server = await startServer(
      'PostgreSQL',
      () => runProgram(...asServer(program('postgres'), ['-D', cluster, '-p', String(port), ...settings])),
      async () => (await asAdmin(adminUrl, (admin) => admin.query('select 1'))).rowCount === 1,
    );
    return {
      adminUrl,
      port,
      async stop() {
        // A fast shutdown: SIGTERM would wait for clients.
        server.child.kill('SIGINT');
        await server.exited;
        await directory.remove();
      },
    };
  } catch (error) {
    await directory.remove();
    throw error;
  }
}

/** PostgreSQL does not run as root. @returns how to start a program of it */
async function serverAccount(directory: string): Promise<(program: string, args: string[]) => [string, string[]]> {
  const owner = await serverOwner();
  if (owner === null) return (program, args) => [program, args];
  const { uid, gid } = owner;
  await chown(directory, uid, gid);
  return (program, args) => ['setpriv', [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', program, ...args]];
}
