import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The running server of a data directory, from its `postmaster.pid`. */
export interface Postmaster {
  pid: number;
  port: number;
}

/** null when no server runs on that directory: a killed one leaves the file behind, and pids are used again. */
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

/** Fast shutdown (SIGINT), then immediate (SIGQUIT), then SIGKILL. Crash recovery makes the last two safe. */
export async function stopPostmaster(pid: number): Promise<void> {
  signal(pid, 'SIGCONT'); // a stopped process would only notice SIGKILL
  for (const [name, patienceMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!isAlive(pid)) return;
    signal(pid, name);
    const end = performance.now() + patienceMs;
    while (isAlive(pid) && !(await isZombie(pid)) && performance.now() < end) await sleep(20);
    if (!isAlive(pid) || (await isZombie(pid))) return;
  }
  throw new Error(`PostgreSQL process ${pid} cannot be stopped`);
}

/**
 * Removes the `postmaster.pid` of a server that is gone. PostgreSQL does so itself, except when the dead process is
 * still in the process table: nobody collects orphans in a container whose first process is no init. The file also
 * guards against backends that outlive their postmaster, so these are waited for, then killed.
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

/** Every process of a server works in its data directory; a dead one works nowhere. */
async function processesIn(directory: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const places = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => null))); // gone, or not ours
  return pids.filter((_pid, index) => places[index] === directory);
}

/** Whether that process was started on that directory. Without /proc (macOS, Windows) the pid file is believed. */
async function servesDirectory(pid: number, dataDir: string): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const command = await readProc(pid, 'cmdline');
  return command !== null && command.split('\0').includes(dataDir);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // gone already
  }
}

/** A child whose parent has not yet taken notice of its end. */
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
