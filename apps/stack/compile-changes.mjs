// The compiler of `npm run dev`. Compiles what changes below apps/ and libs/ into dist/, like `nest build`, and tells the
// process that started it which of the service's processes use what was compiled.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { dirname, join, relative } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import ts from 'typescript';
import { builtAt, recordBuild, ROOT, say } from './bootstrap.mjs';

/** Editors write a file in several steps. */
const QUIET_MS = 50;
/** Files that use what changed are checked for so long before it is started; the others, once it runs. */
const CHECK_FIRST_MS = 500;
const PROCESSES = ['api', 'worker', 'sandbox'];
/** TypeScript: "File '{0}' not found." */
const FILE_NOT_FOUND = 6053;

/** @type {Map<string, { version: string, exports: Set<string> }>} what dist/ holds of each source */
const compiled = new Map();
/** @type {import('typescript').EmitAndSemanticDiagnosticsBuilderProgram | undefined} */
let current;
/** Nothing is left to do for `current`, and it has no errors. */
let isComplete = false;
/** A change was noticed that `current` does not have yet. */
let isChanging = false;
/** The last that was said was what is wrong. */
let isBroken = false;
let noticedAtMs = Date.now();
/** When reading the sources of `current` began. */
let readAtMs = Date.now();

const plugins = await Promise.all(
  JSON.parse(readFileSync(join(ROOT, 'nest-cli.json'), 'utf8')).compilerOptions.plugins.map(
    async ({ name, options }) => ({ options, before: (await import(`${name}/plugin`)).before }),
  ),
);
const host = ts.createWatchCompilerHost(
  join(ROOT, 'apps/tsconfig.json'),
  {},
  { ...ts.sys, setTimeout: updateSoon },
  ts.createEmitAndSemanticDiagnosticsBuilderProgram,
  (diagnostic) => report([diagnostic]),
  () => undefined,
  { excludeDirectories: ['**/node_modules'] },
);
host.afterProgramCreate = (program) => {
  compile(program).catch((error) => {
    say(error.stack);
    process.exit(1);
  });
};
ts.createWatchProgram(host);
say('Watching apps/ and libs/ for changes.');

/** The timer that TypeScript starts with each change that it notices, and starts anew with the next. */
function updateSoon(update, delayMs, ...args) {
  if (!isChanging) noticedAtMs = Date.now();
  isChanging = true;
  return setTimeout(
    () => {
      isChanging = false;
      readAtMs = Date.now();
      update(...args);
      // A file that was saved as it was makes no new program.
      if (isComplete) recordCompiled().catch(() => undefined);
    },
    Math.min(delayMs, QUIET_MS),
  );
}

async function compile(program) {
  const isFirst = current === undefined;
  current = program;
  isComplete = false;
  // TypeScript takes a file that was removed off its list later than it misses it, and makes another program then.
  if (program.getOptionsDiagnostics().some(({ code }) => code === FILE_NOT_FOUND)) return;
  if (isFirst) rememberBuild(program);
  const changed = ownSources(program).filter((source) => !isCompiled(source));
  if (report(changed.flatMap((source) => errorsIn(program.getProgram(), source)))) return;
  const checkFirstUntilMs = performance.now() + CHECK_FIRST_MS;
  let mayRunUnchecked = changed.length > 0 && keepsExports(program, changed);
  const checks = check(program);
  while (!checks.next().done) {
    if (mayRunUnchecked && performance.now() > checkFirstUntilMs) {
      mayRunUnchecked = false;
      await runUnchecked(program, changed);
    }
    await nextTurn();
    if (program !== current) return;
  }
  if (report(errorsOf(program))) return;
  const isNew = !changed.every(isCompiled);
  const written = emit(program, undefined);
  remember(program, changed);
  isComplete = true;
  // What is written first is what the last build wrote, but for the order of values in descriptions of the API.
  if (isNew || isBroken || (written.length > 0 && !isFirst)) await tell(program, written);
  await recordCompiled();
}

/** One file at a time. */
function* check(program) {
  while (program.getSemanticDiagnosticsOfNextAffectedFile() !== undefined) yield;
  // Those that use what is affected. What was checked before is remembered.
  for (const source of ownSources(program)) {
    program.getSemanticDiagnostics(source);
    yield;
  }
}

/** @returns {boolean} whether dist/ holds this version of it */
function isCompiled({ fileName, version }) {
  return compiled.get(fileName)?.version === version;
}

/** What is older than the last build is in dist/. */
function rememberBuild(program) {
  const builtAtMs = builtAt();
  remember(
    program,
    ownSources(program).filter(({ fileName }) => statSync(fileName).mtimeMs <= builtAtMs),
  );
}

function remember(program, sources) {
  for (const source of sources) {
    compiled.set(source.fileName, { version: source.version, exports: exportsOf(program, source) });
  }
}

function ownSources(program) {
  return program.getSourceFiles().filter(({ fileName }) => !fileName.includes('/node_modules/'));
}

/** @returns {Set<string>} */
function exportsOf(program, source) {
  const checker = program.getProgram().getTypeChecker();
  const module = checker.getSymbolAtLocation(source);
  return new Set(module === undefined ? [] : checker.getExportsOfModule(module).map(({ name }) => name));
}

/** A module that lost an export keeps those that import it from being loaded. */
function keepsExports(program, changed) {
  return changed.every((source) => {
    const exports = exportsOf(program, source);
    return [...(compiled.get(source.fileName)?.exports ?? [])].every((name) => exports.has(name));
  });
}

async function runUnchecked(program, changed) {
  // It says of what dist/ was compiled, and is written when everything is.
  rmSync(program.getCompilerOptions().tsBuildInfoFile, { force: true });
  const written = changed.flatMap((source) => emit(program, source));
  remember(program, changed);
  await tell(program, written);
}

/**
 * @param source undefined: all that is not what was compiled last
 * @returns {string[]} sources whose code is another one now
 */
function emit(program, source) {
  const written = [];
  const emitter = source === undefined ? program : program.getProgram();
  const before = plugins.map((plugin) => plugin.before(plugin.options, program.getProgram()));
  emitter.emit(
    source,
    (path, text, _mark, _onError, sources) => {
      if (ts.sys.readFile(path) === text) return;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      if (!path.endsWith('.map') && sources?.length) written.push(sources[0].fileName);
    },
    undefined,
    false,
    { before },
  );
  return written;
}

/** Returns when the processes have been restarted: on two cores a check beside it would slow them down. */
async function tell(program, written) {
  const processes = PROCESSES.filter((name) => {
    const used = new Set(program.getAllDependencies(program.getSourceFile(join(ROOT, `apps/${name}/src/main.ts`))));
    return written.some((source) => used.has(source));
  });
  const files = written.map((source) => relative(ROOT, source));
  isBroken = false;
  const answered = once(process, 'message');
  process.send({ processes, files, noticedAtMs });
  await answered;
}

function errorsIn(program, source) {
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
}

function errorsOf(program) {
  return [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program.getSemanticDiagnostics(),
  ];
}

/** @returns {boolean} whether there was anything to report */
function report(errors) {
  if (errors.length === 0) return false;
  isBroken = true;
  const text = ts.formatDiagnostics(errors, {
    getCurrentDirectory: () => ROOT,
    getNewLine: () => '\n',
    getCanonicalFileName: (name) => name,
  });
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  say(`${text}${count}; api, worker and sandbox go on with the code that they have.`);
  return true;
}

/** Unless something has changed meanwhile: what is noticed of it comes before the next turn. */
async function recordCompiled() {
  const [program, atMs] = [current, readAtMs];
  await nextTurn();
  if (program === current && atMs === readAtMs && !isChanging) recordBuild(atMs);
}
