import { readFile } from 'node:fs/promises';
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
  process.kill(pid, 'SIGCONT'); // a stopped process would only notice SIGKILL
  for (const [signal, patienceMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!isAlive(pid)) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    const end = performance.now() + patienceMs;
    while (isAlive(pid) && !(await isZombie(pid)) && performance.now() < end) await sleep(20);
    if (!isAlive(pid) || (await isZombie(pid))) return;
  }
  throw new Error(`PostgreSQL process ${pid} cannot be stopped`);
}

/** Whether that process was started on that directory. Without /proc (macOS, Windows) the pid file is believed. */
async function servesDirectory(pid: number, dataDir: string): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const command = await readProc(pid, 'cmdline');
  return command !== null && command.split('\0').includes(dataDir);
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
