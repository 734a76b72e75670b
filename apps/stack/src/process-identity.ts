import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process was started, in a form that only compares for equality; null when there is none. A process id alone
 * is not enough to know a process again: ids are reused, in containers within seconds.
 */
export function processStartedAt(pid: number): string | null {
  try {
    if (process.platform === 'linux') {
      // proc(5): the 22nd field, counted after the name, which may itself hold spaces and brackets.
      const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
      // A zombie is dead; it only waits for its parent to notice.
      return fields[0] === 'Z' ? null : (fields[19] ?? null);
    }
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    return started === '' ? null : started;
  } catch {
    // Both ways fail in the same manner for the same reason: there is no such process.
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

/** Ends that process, and no other that may have got its id. */
export function kill(identity: ProcessIdentity): void {
  if (!isRunning(identity)) return;
  try {
    process.kill(identity.pid, 'SIGKILL');
  } catch (error) {
    // It was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
