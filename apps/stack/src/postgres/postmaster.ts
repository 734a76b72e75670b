import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Postmaster {
  pid: number;
  port: number;
}

/** Returns null when no server runs on the directory: a killed one leaves its file, and pids are reused. */
export async function findPostmaster(dataDir: string): Promise<Postmaster | null> {
  let text: string;
  try {
    text = await readFile(join(dataDir, 'postmaster.pid'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  // https://www.postgresql.org/docs/18/storage-file-layout.html: pid, data directory, start time, port, …
  const [pid, , , port] = text.split('\n').map((line) => Number(line));
  if (!pid || !isAlive(pid) || !(await servesDirectory(pid, dataDir))) return null;
  return { pid, port: port ?? 0 };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Crash recovery makes SIGQUIT and SIGKILL safe. */
export async function stopPostmaster(pid: number): Promise<void> {
  signal(pid, 'SIGCONT'); // a stopped process reacts to SIGKILL only
  for (const [name, timeoutMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!isAlive(pid)) return;
    signal(pid, name);
    const end = performance.now() + timeoutMs;
    while (isAlive(pid) && !(await isZombie(pid)) && performance.now() < end) await sleep(20);
    if (!isAlive(pid) || (await isZombie(pid))) return;
  }
  throw new Error(`PostgreSQL process ${pid} cannot be stopped`);
}

/**
 * Removes the `postmaster.pid` of a dead server, which PostgreSQL keeps while the process is a zombie, as in a
 * container without an init. Ends backends that outlive their postmaster first: the file also guards against them.
 */
export async function clearStalePidFile(dataDir: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const end = performance.now() + 5_000;
  for (;;) {
    const left = await processesIn(dataDir);
    if (left.length === 0) break;
    if (performance.now() > end) for (const pid of left) signal(pid, 'SIGKILL');
    await sleep(20);
  }
  await rm(join(dataDir, 'postmaster.pid'), { force: true });
}

/** Every server process has the data directory as its working directory; a dead one has none. */
async function processesIn(directory: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const places = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => null))); // ended, or of another user
  return pids.filter((_pid, index) => places[index] === directory);
}

/** Whether the process was started on the directory. Without /proc (macOS, Windows) trusts the pid file. */
async function servesDirectory(pid: number, dataDir: string): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const command = await readProc(pid, 'cmdline');
  return command !== null && command.split('\0').includes(dataDir);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function isZombie(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const stat = await readProc(pid, 'stat');
  return stat === null || /\) Z /.test(stat);
}

async function readProc(pid: number, file: string): Promise<string | null> {
  try {
    return await readFile(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}
