import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, processTree } from '../../support/process-tree.js';
import { runProgram, type RunningProgram } from '../../support/processes.js';

/** Of the machine: the loader and the libraries of the base image, names and certificates. */
const LENT = ['lib', 'lib64', 'usr/lib', 'etc', 'dev'];

/**
 * Mounts, in a namespace of its own, what is lent, makes everything read-only, and becomes the user of the image with
 * nothing but the files of the image to see, and no process but itself: for the first one signals are another matter.
 */
const ENTER = `
  set -e
  root=$1 user=$2 group=$3
  shift 3
  mount --make-rprivate /
  mount --bind "$root" "$root"
  for lent in ${LENT.join(' ')}; do
    [ ! -e "/$lent" ] || mount --rbind "/$lent" "$root/$lent"
  done
  mkdir -p "$root/proc"
  mount -t proc proc "$root/proc"
  mount -o remount,bind,ro "$root"
  exec unshare --root="$root" --wd=/app --setgid="$group" --setuid="$user" "$@"`;

/** Root may be kept from it, too: only trying tells. */
export const canEnter =
  spawnSync('unshare', ['--mount', 'sh', '-c', 'mount --make-rprivate / && mount --bind /tmp /tmp']).status === 0;

/**
 * Runs a program of an image's files: read-only, as the image's user, who sees nothing else. Where nobody may mount, it
 * runs as whoever runs the tests.
 */
export async function runContained(
  root: string,
  user: string,
  command: string[],
  env: NodeJS.ProcessEnv,
): Promise<RunningProgram> {
  const [uid = '', gid = ''] = user.split(':');
  const [program = '', ...args] = command;
  // Node would look for the cache of another file system.
  const settings = { ...env, NODE_COMPILE_CACHE: undefined };
  if (!canEnter) return runProgram(join(root, program), args, { cwd: join(root, 'app'), env: settings });
  for (const path of LENT) await mkdir(join(root, path), { recursive: true });
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
  const outside = runProgram('unshare', [...namespaces, 'sh', '-c', ENTER, 'sh', root, uid, gid, program, ...args], {
    env: { PATH: process.env.PATH, ...settings },
  });
  const firstProcess = (): number => processTree(outside.pid)[1] ?? outside.pid;
  return {
    ...outside,
    get pid() {
      return firstProcess();
    },
    async stop(graceMs = 10_000) {
      const pid = firstProcess();
      if (isAlive(pid)) process.kill(pid, 'SIGTERM');
      const force = setTimeout(() => outside.child.kill('SIGKILL'), graceMs);
      try {
        return await outside.exited;
      } finally {
        clearTimeout(force);
      }
    },
  };
}
