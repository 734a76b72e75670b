// `npm test [-- <part of a path> …]`: everything the suites need, then the suites, then one line with the result.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import {
  continueOnPinnedNode,
  ensureBuilt,
  ensureInstalled,
  fail,
  requireSupportedNode,
  ROOT,
  runsOnPinnedNode,
} from '../../apps/stack/bootstrap.mjs';
import { notProvedLines } from './not-proved.mjs';
import { lackedBy, provision } from './programs.mjs';
import { isTimed, runJest, serverSuites } from './run-jest.mjs';

/** A run takes half an hour on two cores that are its own; after this it hangs, and has to end with a result. */
const TIME_LIMIT_MS = 60 * 60_000;

const OUTCOMES = ['passed', 'failed', 'skipped'];

const say = (text) => console.log(text);

/** Beside others a suite may come too late for what it judges. More than these at once are no accident. */
const MOST_AGAIN = 4;

/** @returns {{ passed: number, failed: number, skipped: number, failedSuites: string[] }} */
function figures(output, exitCode) {
  let result;
  try {
    result = JSON.parse(readFileSync(output, 'utf8'));
  } catch (error) {
    say(`The runner left no result (exit code ${exitCode}): ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0, failedSuites: [] };
  }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numRuntimeErrorTestSuites } = result;
  // A suite that cannot even be loaded has no tests, and is a failure all the same.
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  return {
    passed: numPassedTests,
    // What jest calls a failure without naming a test (a handle that broke, a coverage rule) must not be lost.
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: numPendingTests + numTodoTests,
    failedSuites: result.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name),
  };
}

/** What the suites had that are run again: their results are those of the second time. */
function without(result, output) {
  const { testResults } = JSON.parse(readFileSync(output, 'utf8'));
  const first = testResults.filter(({ name }) => result.failedSuites.includes(name));
  const count = (...statuses) =>
    first.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => statuses.includes(status)).length;
  return { passed: result.passed - count('passed'), failed: 0, skipped: result.skipped - count('pending', 'todo') };
}

async function main() {
  const startedAt = performance.now();
  requireSupportedNode();
  ensureInstalled();
  if (!runsOnPinnedNode()) return continueOnPinnedNode(import.meta.filename, process.argv.slice(2));
  ensureBuilt();

  const filters = process.argv.slice(2);
  const unavailable = provision(ROOT, say);
  const suites = serverSuites()
    .filter((path) => filters.length === 0 || filters.some((part) => new RegExp(part).test(relative(ROOT, path))))
    .map((path) => ({ path, lacks: lackedBy(ROOT, path, unavailable) }));
  const skippedSuites = suites.filter(({ lacks }) => lacks.length > 0);
  const runnable = suites.filter(({ lacks }) => lacks.length === 0).map(({ path }) => path);
  const cores = availableParallelism();
  const phases = [
    {
      name: 'pure suites',
      project: 'unit',
      workers: cores,
      selection: filters.length > 0 ? ['--testPathPatterns', ...filters] : [],
    },
    // Each of them starts several processes, and many judge what comes in time: one more at a time than there are cores is too many.
    { name: 'suites with servers', project: 'servers', workers: cores, paths: runnable.filter((p) => !isTimed(p)) },
    { name: 'suites that measure time', project: 'servers', workers: 1, paths: runnable.filter(isTimed) },
  ].filter(({ paths }) => paths === undefined || paths.length > 0);

  const total = { passed: 0, failed: 0, skipped: skippedSuites.length };
  const unstable = [];
  let weaker;
  let runs = 0;
  const directory = mkdtempSync(join(tmpdir(), 'unified-calendar-test-'));
  try {
    const deadlineMs = startedAt + TIME_LIMIT_MS;
    const run = async (name, project, workers, selection) => {
      say(`\n${name}`);
      const output = join(directory, `${(runs += 1)}.json`);
      const exitCode = await runJest({ project, workers, selection, output, deadlineMs });
      return { output, result: figures(output, exitCode) };
    };
    for (const { name, project, workers, paths, selection = ['--runTestsByPath', ...paths] } of phases) {
      let { output, result } = await run(name, project, workers, selection);
      const { failedSuites } = result;
      if (project === 'servers' && failedSuites.length > 0 && failedSuites.length <= MOST_AGAIN) {
        const others = without(result, output);
        const again = ['--runTestsByPath', ...failedSuites];
        ({ result } = await run('suites that failed, once more and one at a time', project, 1, again));
        unstable.push(...failedSuites.filter((path) => !result.failedSuites.includes(path)));
        for (const outcome of OUTCOMES) result[outcome] += others[outcome];
      }
      for (const outcome of OUTCOMES) total[outcome] += result[outcome];
    }
    weaker = notProvedLines(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }

  say(`\nFinished in ${Math.round((performance.now() - startedAt) / 1_000)} s.`);
  for (const path of unstable) say(`UNSTABLE ${relative(ROOT, path)}: failed beside others, passed alone`);
  for (const { path, lacks } of skippedSuites) say(`SKIPPED ${relative(ROOT, path)}: needs ${lacks.join(', ')}`);
  for (const line of weaker) say(line);
  const isStrict = process.env.CI === 'true';
  if (isStrict && total.skipped > 0) say('With CI=true nothing may be skipped.');
  if (total.passed + total.failed + total.skipped === 0) {
    say('No test matches.');
    total.failed = 1;
  }
  say(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
  process.exit(total.failed > 0 || (isStrict && total.skipped > 0) ? 1 : 0);
}

try {
  await main();
} catch (error) {
  fail(error);
}
