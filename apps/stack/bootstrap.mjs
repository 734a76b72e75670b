// Runs before packages are installed: plain JavaScript for Node 20 or later, without dependencies.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import * as module from 'node:module';
import { constants } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

export const ROOT = dirname(dirname(import.meta.dirname));
const OLDEST_NODE = 20;
const MODULES = join(ROOT, 'node_modules');
const INSTALL_STAMP = join(MODULES, '.unified-calendar-install');
const DIST = join(ROOT, 'dist');
const BUILD_STAMP = join(DIST, '.build-stamp');
/** The V8 compile cache shortens the start of every process by a fifth. */
const COMPILE_CACHE = join(DIST, '.compile-cache');
/** Files besides apps/ and libs/ that change the compiled code. */
const BUILD_INPUTS = ['package.json', 'nest-cli.json', 'tsconfig.json'];

export class BootstrapError extends Error {}

/** @param {string} text */
export function say(text) {
  // stdout carries the output of the command (`ops --json`).
  process.stderr.write(`${text}\n`);
}

export function requireSupportedNode() {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
    throw new BootstrapError(`Node ${OLDEST_NODE} or later is needed to start; this is ${process.versions.node}.`);
  }
}

export function ensureInstalled() {
  if (isInstalled()) return;
  say('Installing packages (npm ci) …');
  const startedAt = performance.now();
  // `npm test --silent` passes its log level on to npm: errors of an installation must stay visible.
  npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  runAllowedScripts();
  writeFileSync(INSTALL_STAMP, lockHash());
  say(`Installed in ${seconds(startedAt)}.`);
}

/** Runs the scripts that `allowScripts` of package.json names. Older versions of npm ignore that list and run all. */
export function runAllowedScripts() {
  const { allowScripts = {} } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const names = Object.keys(allowScripts).filter((name) => allowScripts[name] && existsSync(join(MODULES, name)));
  if (names.length > 0) npm(['rebuild', ...names, '--ignore-scripts=false', '--loglevel=error']);
}

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
}

function isInstalled() {
  const hash = lockHash();
  if (existsSync(INSTALL_STAMP) && readFileSync(INSTALL_STAMP, 'utf8') === hash) return true;
  // A manual `npm ci` leaves no stamp. npm's own record holds the same facts but takes longer to compare.
  const record = join(MODULES, '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const wanted = Object.entries(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages);
  const complete = wanted.every(
    ([path, entry]) =>
      path === '' || entry.optional || entry.devOptional || entry.peer || installed[path]?.version === entry.version,
  );
  if (!complete) return false;
  // An interrupted installation, or one without scripts, has the package of the pinned Node without its binary.
  if (!existsSync(pinnedNode().path)) runAllowedScripts();
  writeFileSync(INSTALL_STAMP, hash);
  return true;
}

export function ensureBuilt() {
  if (newestOf(['apps', 'libs', ...BUILD_INPUTS]) > builtAt()) build();
}

export function build() {
  say('Building …');
  const startedAt = performance.now();
  const startedAtMs = Date.now();
  rmSync(BUILD_STAMP, { force: true });
  rmSync(COMPILE_CACHE, { recursive: true, force: true });
  run(pinnedNode().path, [join(MODULES, '@nestjs/cli/bin/nest.js'), 'build']);
  run(pinnedNode().path, [join(MODULES, 'vite/bin/vite.js'), 'build', 'apps/dashboard', '--logLevel', 'warn']);
  removeOrphans(DIST);
  // The start time, so that the next build picks up sources saved during this one.
  writeFileSync(BUILD_STAMP, String(startedAtMs));
  say(`Built in ${seconds(startedAt)}.`);
}

/** Records that dist/ matches the sources at `atMs`, unless a file changed that only `build` compiles. */
export function recordBuild(atMs) {
  if (newestOf(['apps/dashboard', ...BUILD_INPUTS]) > builtAt()) return;
  removeOrphans(DIST);
  writeFileSync(BUILD_STAMP, String(atMs));
}

/** Milliseconds since the epoch. */
export function builtAt() {
  return existsSync(BUILD_STAMP) ? Number(readFileSync(BUILD_STAMP, 'utf8')) : 0;
}

/** Milliseconds since the epoch. Includes directories: deleting a file changes their modification time. */
function newestOf(paths) {
  let newest = 0;
  const look = (path) => {
    const status = statSync(path);
    newest = Math.max(newest, status.mtimeMs);
    if (!status.isDirectory()) return;
    for (const name of readdirSync(path)) {
      if (!/\.(spec|test)\.ts$/.test(name) && name !== 'node_modules' && name !== 'testing') look(join(path, name));
    }
  };
  for (const path of paths) look(join(ROOT, path));
  return newest;
}

/** Modules without a source would stay importable, and migrations would run. Only compiled files have a source map. */
function removeOrphans(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      removeOrphans(path);
    } else if (path.endsWith('.js.map')) {
      const module = path.slice(0, -'.map'.length);
      const source = join(ROOT, relative(DIST, module)).replace(/\.js$/, '.ts');
      if (existsSync(source)) continue;
      rmSync(path);
      rmSync(module, { force: true });
    }
  }
}

/** Returns the path and version of the Node that the product pins as a package. */
function pinnedNode() {
  const { bin, version } = JSON.parse(readFileSync(join(MODULES, 'node', 'package.json'), 'utf8'));
  const packaged = join(MODULES, 'node', typeof bin === 'string' ? bin : bin.node);
  return { path: process.versions.node === version ? process.execPath : packaged, version };
}

export function runsOnPinnedNode() {
  return process.versions.node === pinnedNode().version;
}

/**
 * Runs a script on the pinned Node, if need be in a child with the same terminal, signals and exit code.
 * @param {string} script
 * @param {string[]} args
 */
export async function continueOnPinnedNode(script, args) {
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  if (runsOnPinnedNode()) {
    module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
    process.argv = [process.argv[0] ?? 'node', script, ...args];
    await import(pathToFileURL(script).href);
    return;
  }
  const child = spawn(pinnedNode().path, [script, ...args], { stdio: 'inherit', env: withModulesOnPath(process.env) });
  // The terminal also sends Ctrl-C to the child, which treats two signals close together as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  await new Promise((_, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
  });
}

/** @param {NodeJS.ProcessEnv} env */
export function withModulesOnPath(env) {
  const bin = join(MODULES, '.bin');
  const path = env.PATH ?? '';
  return path.startsWith(bin) ? env : { ...env, PATH: `${bin}${delimiter}${path}` };
}

/** Prefers the npm that started this process, and its own Node: `npm ci` removes the pinned one. */
function npm(args) {
  const self = process.env.npm_execpath;
  const node = [process.env.npm_node_execpath, process.execPath].find((path) => path !== undefined && existsSync(path));
  if (self?.endsWith('.js') && node !== undefined) run(node, [self, ...args]);
  else run('npm', args);
}

/** Sends the output to stderr: stdout belongs to the command itself. */
function run(command, args) {
  const { status, error, signal } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
    env: withModulesOnPath(process.env),
  });
  if (error) throw new BootstrapError(`${command} cannot be run: ${error.message}`);
  if (status !== 0) throw new BootstrapError(`${command} ${args.join(' ')} failed (${signal ?? status}); see above.`);
}

function seconds(sinceMs) {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}

export function fail(error) {
  say(error instanceof BootstrapError ? error.message : (error?.stack ?? String(error)));
  process.exit(1);
}
