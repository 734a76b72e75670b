// What `npm start`, `npm run dev`, `npm test` and `npm run ops` need before the product's own code can run, in plain
// JavaScript for any Node from 20 on, without a single dependency: this file runs before anything is installed.
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
/** What V8 made of the modules: a fifth off the start of every process. */
const COMPILE_CACHE = join(DIST, '.compile-cache');
/** What decides about the compiled code, besides apps/ and libs/. */
const BUILD_INPUTS = ['package.json', 'nest-cli.json', 'tsconfig.json'];

/** A message for a person, without a stack. */
export class BootstrapError extends Error {}

/** @param {string} text */
export function say(text) {
  // stdout belongs to the command itself (`ops --json`).
  process.stderr.write(`${text}\n`);
}

export function requireSupportedNode() {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
    throw new BootstrapError(`Node ${OLDEST_NODE} or later is needed to start; this is ${process.versions.node}.`);
  }
}

/** Installs the locked packages when node_modules is not what package-lock.json says. */
export function ensureInstalled() {
  if (isInstalled()) return;
  say('Installing packages (npm ci) …');
  const startedAt = performance.now();
  // `npm test --silent` is silent about the tests; why nothing could be installed must be seen all the same.
  npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  runAllowedScripts();
  writeFileSync(INSTALL_STAMP, lockHash());
  say(`Installed in ${seconds(startedAt)}.`);
}

/**
 * Runs the scripts of the installed packages that `allowScripts` of package.json allows, and of no other: versions of npm
 * that do not know the list would run them all.
 */
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
  // Somebody may have run `npm ci` by hand: npm's own record of what it installed says the same, only more slowly.
  const record = join(MODULES, '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const wanted = Object.entries(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages);
  const complete = wanted.every(
    ([path, entry]) =>
      path === '' || entry.optional || entry.devOptional || entry.peer || installed[path]?.version === entry.version,
  );
  if (!complete) return false;
  // An installation that was interrupted, or told to run no scripts, has the package of the pinned Node without the program.
  if (!existsSync(pinnedNode().path)) runAllowedScripts();
  writeFileSync(INSTALL_STAMP, hash);
  return true;
}

/** Compiles apps/ and libs/ when any source is newer than the last complete build. */
export function ensureBuilt() {
  if (newestOf(['apps', 'libs', ...BUILD_INPUTS]) > builtAt()) build();
}

/** Compiles apps/ and libs/ into dist/. */
export function build() {
  say('Building …');
  const startedAt = performance.now();
  const startedAtMs = Date.now();
  rmSync(BUILD_STAMP, { force: true });
  rmSync(COMPILE_CACHE, { recursive: true, force: true });
  run(pinnedNode().path, [join(MODULES, '@nestjs/cli/bin/nest.js'), 'build']);
  run(pinnedNode().path, [join(MODULES, 'vite/bin/vite.js'), 'build', 'apps/dashboard', '--logLevel', 'warn']);
  removeOrphans(DIST);
  // The time of the start: a source saved while the compiler ran is newer, and built next time.
  writeFileSync(BUILD_STAMP, String(startedAtMs));
  say(`Built in ${seconds(startedAt)}.`);
}

/**
 * Writes down that dist/ holds what the sources were at that time. Not when something has changed that only `build`
 * compiles.
 */
export function recordBuild(atMs) {
  if (newestOf(['apps/dashboard', ...BUILD_INPUTS]) > builtAt()) return;
  removeOrphans(DIST);
  writeFileSync(BUILD_STAMP, String(atMs));
}

/** Milliseconds since the epoch. */
export function builtAt() {
  return existsSync(BUILD_STAMP) ? Number(readFileSync(BUILD_STAMP, 'utf8')) : 0;
}

/** Milliseconds since the epoch. A directory counts too: its time tells of a file that was deleted. */
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

/**
 * A module whose source is gone must not stay importable (a migration would even be run). What was compiled is told
 * from what was copied by its source map.
 */
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

/** The Node that the product is built for, pinned as a package; this one, when it is the same. */
function pinnedNode() {
  const { bin, version } = JSON.parse(readFileSync(join(MODULES, 'node', 'package.json'), 'utf8'));
  const packaged = join(MODULES, 'node', typeof bin === 'string' ? bin : bin.node);
  return { path: process.versions.node === version ? process.execPath : packaged, version };
}

export function runsOnPinnedNode() {
  return process.versions.node === pinnedNode().version;
}

/**
 * Goes on with a script on the pinned Node: in this process when it already is that, else in a child that stands for
 * it: same terminal, same signals, same exit code.
 * @param {string} script
 * @param {string[]} args
 */
export async function continueOnPinnedNode(script, args) {
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE; // for the children
  if (runsOnPinnedNode()) {
    module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
    process.argv = [process.argv[0] ?? 'node', script, ...args];
    await import(pathToFileURL(script).href);
    return;
  }
  const child = spawn(pinnedNode().path, [script, ...args], { stdio: 'inherit', env: withModulesOnPath(process.env) });
  // Ctrl-C in a terminal reaches the child by itself as well: it has to take two that come together for one.
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

/**
 * Runs the npm that started us, or the one on the PATH. Its own Node comes first: scripts of npm run on the pinned one, which
 * `npm ci` removes with all other packages.
 */
function npm(args) {
  const self = process.env.npm_execpath;
  const node = [process.env.npm_node_execpath, process.execPath].find((path) => path !== undefined && existsSync(path));
  if (self?.endsWith('.js') && node !== undefined) run(node, [self, ...args]);
  else run('npm', args);
}

/** The output of what is run goes to stderr, so that stdout stays the command's own. */
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

/** Ends the process with a message for a person. */
export function fail(error) {
  say(error instanceof BootstrapError ? error.message : (error?.stack ?? String(error)));
  process.exit(1);
}
