// The programs of other people that some suites run against, and where such a suite is known by.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

/**
 * A suite needs a program when it, or a file below test/ that it imports, is or imports the launcher.
 * `names`: any of these on the PATH will do. `debian`: the package that has it.
 */
export const PROGRAMS = [
  { names: ['radicale'], debian: 'radicale', launcher: 'test/support/radicale.ts' },
  { names: ['xandikos'], debian: 'xandikos', launcher: 'test/support/xandikos.ts' },
  { names: ['redis-server'], debian: 'redis-server', launcher: 'test/support/redis.ts' },
  { names: ['prometheus'], debian: 'prometheus', launcher: 'test/support/prometheus.ts' },
  { names: ['python3'], debian: 'python3', launcher: 'test/support/python.ts' },
  { names: ['pg_ctlcluster'], debian: 'postgresql', launcher: 'test/support/debian-postgres.ts' },
  {
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    debian: 'chromium',
    launcher: 'test/support/chromium.ts',
  },
  { names: ['go'], debian: 'golang-go', launcher: 'test/deploy/go-tools.ts' },
];

/** @param {string} name */
export function isOnPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => existsSync(join(directory, name)));
}

/** Only what some suite can ask for: a program without a launcher is nobody's need. */
function missing(root) {
  return PROGRAMS.filter(({ names, launcher }) => existsSync(join(root, launcher)) && !names.some(isOnPath));
}

/**
 * Installs what is missing where that is possible: on Debian, as root.
 * @param {string} root of the repository
 * @param {(text: string) => void} say
 * @returns what is still missing
 */
export function provision(root, say) {
  const wanted = missing(root);
  if (wanted.length === 0) return [];
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !isOnPath('apt-get')) return wanted;
  say(`Installing ${wanted.map(({ debian }) => debian).join(', ')} …`);
  const options = {
    stdio: ['ignore', 2, 2],
    // Runlevel 1 keeps a package from starting its server: the tests start their own, on ports of their own.
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    timeout: 300_000,
  };
  spawnSync('apt-get', ['update', '-qq'], options);
  // One at a time: a package that this release does not have must not keep the others out.
  for (const { debian } of wanted) {
    const policy = ['-o', 'Dpkg::Options::=--force-confold', '-o', 'DPkg::Lock::Timeout=120'];
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...policy, debian], options);
  }
  return missing(root);
}

/**
 * @param {string} root of the repository
 * @param {string} file absolute path of a suite
 * @param {typeof PROGRAMS} unavailable
 * @returns {string[]} names of the programs that the suite needs and that are not there
 */
export function lackedBy(root, file, unavailable) {
  const reachable = new Set();
  const follow = (path) => {
    if (reachable.has(path) || !existsSync(path)) return;
    reachable.add(path);
    for (const [, specifier] of readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      follow(resolve(dirname(path), specifier.replace(/\.js$/, '.ts')));
    }
  };
  follow(file);
  return unavailable.filter(({ launcher }) => reachable.has(join(root, launcher))).map(({ names }) => names[0] ?? '');
}
