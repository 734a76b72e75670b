// `npm test [-- [--report FILE] [<part of a path or of a case's name> …]]` and `npm run test:resilience`.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  continueOnPinnedNode,
  ensureBuilt,
  ensureInstalled,
  fail,
  requireSupportedNode,
  ROOT,
  runsOnPinnedNode,
} from '../../apps/stack/bootstrap.mjs';
import { reducedLines } from './reduced-check.mjs';
import { lackedBy, provision } from './programs.mjs';
import { readReport, slowestLines, unexplained, writeReport } from './report.mjs';
import { runJest } from './run-jest.mjs';
import { allSuites, isResilience, needsBuild, needsServer, PHASES, select } from './suites.mjs';

/** A run takes 10 minutes on two cores, 15 for resilience; after this limit it hangs and must end with a result. */
const TIME_LIMIT_MS = 30 * 60_000;
const REPORT = join(ROOT, 'node_modules/.cache/unified-calendar/test-report.json');

const say = (text) => console.log(text);

async function main() {
  const startedAt = performance.now();
  requireSupportedNode();
  ensureInstalled();
  if (!runsOnPinnedNode()) return continueOnPinnedNode(import.meta.filename, process.argv.slice(2));

  const { values: options, positionals: filters } = parseArgs({
    options: { report: { type: 'string' }, resilience: { type: 'boolean' } },
    allowPositionals: true,
  });
  const all = allSuites();
  // A named suite runs under either command.
  const isMeant = (path) => filters.length > 0 || isResilience(path) === Boolean(options.resilience);
  const { paths, name } = select(all.filter(isMeant), filters);
  const served = paths.filter(needsServer);
  if (paths.some(needsBuild)) ensureBuilt();
  // Coverage is measured per file, which a bundle would join.
  if (served.length > 0 && !process.env.NODE_V8_COVERAGE) {
    const { BUNDLE, ensureBundled } = await import('./bundle.mjs');
    await ensureBundled();
    process.env.TEST_BUNDLE = BUNDLE;
  }
  const unavailable = provision(ROOT, say, served);
  const lacks = new Map(served.map((path) => [path, lackedBy(ROOT, path, unavailable)]));
  const skippedSuites = [...lacks].filter(([, programs]) => programs.length > 0);
  const runnable = paths.filter((path) => !lacks.get(path)?.length);
  const cores = availableParallelism();
  const phases = PHASES.map(({ has, ...phase }) => ({ ...phase, paths: runnable.filter(has) })).filter(
    ({ paths: chosen }) => chosen.length > 0,
  );

  const total = { passed: 0, failed: 0, skipped: skippedSuites.length, suites: [] };
  let weaker;
  const directory = mkdtempSync(join(tmpdir(), 'unified-calendar-test-'));
  try {
    const cases = name === null ? undefined : RegExp.escape(name);
    for (const [index, { phase, paths: chosen, project, workers }] of phases.entries()) {
      say(`\n${phase}`);
      const output = join(directory, `${index}.json`);
      const selection = ['--runTestsByPath', ...chosen];
      const deadlineMs = startedAt + TIME_LIMIT_MS;
      const exitCode = await runJest({ project, workers: workers(cores), selection, cases, output, deadlineMs });
      const result = readReport(output, phase, exitCode, name === null);
      for (const outcome of ['passed', 'failed', 'skipped']) total[outcome] += result[outcome];
      total.suites.push(...result.suites);
    }
    weaker = reducedLines(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }

  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  say('');
  for (const line of slowestLines(total.suites)) say(line);
  for (const path of unexplained(total.suites)) say(`LONG ${path}: its first comment does not say why`);
  for (const file of [REPORT, options.report].filter(Boolean)) writeReport(file, { seconds, cores, ...total });
  say(`Finished in ${seconds} s.`);
  for (const [path, programs] of skippedSuites) say(`SKIPPED ${path}: needs ${programs.join(', ')}`);
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
