import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Returns a value that compares for equality only; null without such a process. Process ids are reused, in
 * containers within seconds.
 */
export function processStartedAt(pid: number): string | null {
  try {
    if (process.platform === 'linux') {
      // proc(5): the 22nd field, counted after the name, which may contain spaces and brackets.
      const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
      // A zombie is dead and waits for its parent.
      return fields[0] === 'Z' ? null : (fields[19] ?? null);
    }
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    return started === '' ? null : started;
  } catch {
    // Both commands fail only when the process does not exist.
    return null;
  }
}

export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

export function identityOf(pid: number): ProcessIdentity | null {
  const startedAt = processStartedAt(pid);
  return startedAt === null ? null : { pid, startedAt };
}

export function isRunning({ pid, startedAt }: ProcessIdentity): boolean {
  return processStartedAt(pid) === startedAt;
}

export function kill(identity: ProcessIdentity): void {
  if (!isRunning(identity)) return;
  try {
    process.kill(identity.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
