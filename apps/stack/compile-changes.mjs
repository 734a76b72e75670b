// The compiler of `npm run dev`. Its parent restarts the processes that use the changed code.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { dirname, join, relative } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import ts from 'typescript';
import { builtAt, recordBuild, ROOT, say } from './bootstrap.mjs';

/** Editors write a file in several steps. */
const QUIET_MS = 50;
/** Type checks of dependent files delay a restart by at most this time. Checks that take longer continue after it. */
const CHECK_FIRST_MS = 500;
const PROCESSES = ['api', 'worker', 'sandbox'];
/** TypeScript: "File '{0}' not found." */
const FILE_NOT_FOUND = 6053;

/** @type {Map<string, { version: string, exports: Set<string> }>} the version of each source that dist/ holds */
const compiled = new Map();
/** @type {import('typescript').EmitAndSemanticDiagnosticsBuilderProgram | undefined} */
let current;
/** `current` is checked, written and free of errors. */
let isComplete = false;
/** TypeScript noticed a change that `current` does not contain yet. */
let isChanging = false;
let isBroken = false;
let detectedAtMs = Date.now();
/** When the compiler began to read the sources of `current`. */
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

/** TypeScript starts this timer anew with each change. */
function updateSoon(update, delayMs, ...args) {
  if (!isChanging) detectedAtMs = Date.now();
  isChanging = true;
  return setTimeout(
    () => {
      isChanging = false;
      readAtMs = Date.now();
      update(...args);
      // A file saved without changes creates no new program.
      if (isComplete) recordCompiled().catch(() => undefined);
    },
    Math.min(delayMs, QUIET_MS),
  );
}

async function compile(program) {
  const isFirst = current === undefined;
  current = program;
  isComplete = false;
  // TypeScript reports a deleted file as missing before it drops the file from its list and creates another program.
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
    await nextTick();
    if (program !== current) return;
  }
  if (report(errorsOf(program))) return;
  const isNew = !changed.every(isCompiled);
  const written = emit(program, undefined);
  remember(program, changed);
  isComplete = true;
  // The first emit repeats the last build, except for the order of values in API descriptions.
  if (isNew || isBroken || (written.length > 0 && !isFirst)) await tell(program, written);
  await recordCompiled();
}

function* check(program) {
  while (program.getSemanticDiagnosticsOfNextAffectedFile() !== undefined) yield;
  // The dependents of affected files. The program caches earlier results.
  for (const source of ownSources(program)) {
    program.getSemanticDiagnostics(source);
    yield;
  }
}

function isCompiled({ fileName, version }) {
  return compiled.get(fileName)?.version === version;
}

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

/** Removing an export would break the modules that import it. */
function keepsExports(program, changed) {
  return changed.every((source) => {
    const exports = exportsOf(program, source);
    return [...(compiled.get(source.fileName)?.exports ?? [])].every((name) => exports.has(name));
  });
}

async function runUnchecked(program, changed) {
  // TypeScript writes this file again after a complete emit; until then its content is wrong.
  rmSync(program.getCompilerOptions().tsBuildInfoFile, { force: true });
  const written = changed.flatMap((source) => emit(program, source));
  remember(program, changed);
  await tell(program, written);
}

/** @returns {string[]} sources whose compiled code changed */
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

/** Waits until the processes have restarted: on two cores a concurrent check would slow the restart down. */
async function tell(program, written) {
  const processes = PROCESSES.filter((name) => {
    const used = new Set(program.getAllDependencies(program.getSourceFile(join(ROOT, `apps/${name}/src/main.ts`))));
    return written.some((source) => used.has(source));
  });
  const files = written.map((source) => relative(ROOT, source));
  isBroken = false;
  const answered = once(process, 'message');
  process.send({ processes, files, detectedAtMs });
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

/** Skips the record when a new change arrives: file events come before the next tick. */
async function recordCompiled() {
  const [program, atMs] = [current, readAtMs];
  await nextTick();
  if (program === current && atMs === readAtMs && !isChanging) recordBuild(atMs);
}
