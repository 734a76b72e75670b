// `npm run test:faults`: runs all tests whose titles name a row of the fault catalogue, and prints a table of the rows.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
import { ROW_IN_TITLE, ROWS, rowsOf, suitesWithRows } from './fault-rows.mjs';
import { reducedLines } from './reduced-check.mjs';
import { lackedBy, provision } from './programs.mjs';
import { runJest } from './run-jest.mjs';
import { PHASES } from './suites.mjs';

/** A run takes 8 to 11 minutes on two idle cores. */
const TIME_LIMIT_MS = 15 * 60_000;

class Row {
  counts = { passed: 0, failed: 0, skipped: 0 };
  suites = new Set();

  add(suite, status) {
    this.suites.add(suite);
    this.counts[status === 'passed' ? 'passed' : status === 'failed' ? 'failed' : 'skipped'] += 1;
  }

  get result() {
    if (this.counts.failed > 0) return 'FAILED';
    if (this.counts.skipped > 0) return 'SKIPPED';
    return this.counts.passed > 0 ? 'passed' : 'not covered';
  }
}

/** @param {string} output of Jest @param {Map<string, Row>} rows @returns {boolean} whether all suites completed */
function collect(output, rows) {
  // The time limit ended the run; the table shows the missing rows.
  if (!existsSync(output)) return false;
  const { testResults } = JSON.parse(readFileSync(output, 'utf8'));
  let isWhole = true;
  for (const { name, assertionResults, status: outcome } of testResults) {
    const suite = relative(ROOT, name);
    // A suite that fails to load has no failed test, nor has one that fails after its last test.
    if (outcome === 'failed' && assertionResults.every(({ status }) => status !== 'failed')) isWhole = false;
    for (const { ancestorTitles, title, status } of assertionResults) {
      // Cases outside the pattern are pending, too, but name no row.
      for (const row of rowsOf([...ancestorTitles, title].join(' '))) rows.get(row)?.add(suite, status);
    }
  }
  return isWhole;
}

function printTable(rows, uncovered) {
  for (const [name, { counts, suites, result }] of rows) {
    const tests = `${counts.passed} of ${counts.passed + counts.failed + counts.skipped}`;
    const where = uncovered[name] ?? [...suites].toSorted().join(', ');
    console.log(`${name.padEnd(4)} ${result.padEnd(12)} ${tests.padStart(9)}  ${where}`);
  }
}

async function main() {
  const startedAt = performance.now();
  requireSupportedNode();
  ensureInstalled();
  if (!runsOnPinnedNode()) return continueOnPinnedNode(import.meta.filename, process.argv.slice(2));
  ensureBuilt();

  const uncovered = JSON.parse(readFileSync(join(ROOT, 'test/resilience/uncovered.json'), 'utf8'));
  const rows = new Map(ROWS.map((row) => [row, new Row()]));
  const suites = suitesWithRows(ROOT);
  const unavailable = provision(ROOT, console.log, [...suites.keys()]);
  const runnable = [];
  for (const [suite, named] of suites) {
    const lacks = lackedBy(ROOT, suite, unavailable);
    if (lacks.length === 0) runnable.push(suite);
    else for (const row of named) rows.get(row)?.add(`${suite} (needs ${lacks.join(', ')})`, 'skipped');
  }
  const directory = mkdtempSync(join(tmpdir(), 'unified-calendar-faults-'));
  let isWhole = true;
  let weaker;
  try {
    for (const [index, { project, workers, has }] of PHASES.entries()) {
      const output = join(directory, `${index}.json`);
      const suites = runnable.filter(has);
      if (suites.length === 0) continue;
      const selection = ['--runTestsByPath', ...suites, `--testNamePattern=${ROW_IN_TITLE}`];
      await runJest({
        project,
        workers: workers(availableParallelism()),
        selection,
        output,
        deadlineMs: startedAt + TIME_LIMIT_MS,
      });
      isWhole = collect(output, rows) && isWhole;
    }
    weaker = reducedLines(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  printTable(rows, uncovered);
  const open = [...rows].filter(([name, { result }]) => result !== 'passed' && uncovered[name] === undefined);
  console.log(`\nFinished in ${Math.round((performance.now() - startedAt) / 1_000)} s.`);
  for (const line of weaker) console.log(line);
  if (!isWhole) console.log('Not every suite could be run to its end, or one failed after its tests.');
  console.log(`${rows.size - open.length - Object.keys(uncovered).length} of ${rows.size} rows hold.`);
  process.exit(open.length > 0 || !isWhole ? 1 : 0);
}

try {
  await main();
} catch (error) {
  fail(error);
}
