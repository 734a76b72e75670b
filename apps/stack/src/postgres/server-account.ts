import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** PostgreSQL refuses to run as root. */
const SERVER_USER = 'postgres';

export interface ServerAccount {
  uid?: number;
  gid?: number;
  wrap(program: string, args: string[]): [string, string[]];
}

/**
 * Our own account, or `postgres` for root. In a directory that `postgres` cannot enter (`/root`), `setpriv`
 * (util-linux) keeps the capability to do so.
 */
export async function serverAccount(mustReach: string[]): Promise<ServerAccount> {
  if (userInfo().uid !== 0) return { wrap: (program, args) => [program, args] };
  const { uid, gid } = await systemUser();
  const reachable = await Promise.all(mustReach.map((path) => isReachable(path, uid, gid)));
  if (reachable.every(Boolean)) return { uid, gid, wrap: (program, args) => [program, args] };
  const setpriv = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
  ];
  return { wrap: (program, args) => ['setpriv', [...setpriv, program, ...args]] };
}

/** null for our own account. */
export async function serverOwner(): Promise<{ uid: number; gid: number } | null> {
  return userInfo().uid === 0 ? systemUser() : null;
}

async function systemUser(): Promise<{ uid: number; gid: number }> {
  const found = await lookUp();
  if (found !== null) return found;
  await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', SERVER_USER]);
  const created = await lookUp();
  if (created === null) throw new Error(`The system user ${SERVER_USER} could not be created`);
  return created;
}

async function lookUp(): Promise<{ uid: number; gid: number } | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', SERVER_USER]), run('id', ['-g', SERVER_USER])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch (error) {
    if (typeof (error as { code?: unknown }).code === 'number') return null;
    throw error;
  }
}

async function isReachable(path: string, uid: number, gid: number): Promise<boolean> {
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    const info = await stat(directory);
    const bit = info.uid === uid ? 0o100 : info.gid === gid ? 0o010 : 0o001;
    if ((info.mode & bit) === 0) return false;
    if (directory === dirname(directory)) return true;
  }
}
