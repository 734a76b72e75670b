// `npm run test:cases [-- --out FILE] [--before FILE]`: lists all case names without running them, or the differences
// from an earlier list.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../apps/stack/bootstrap.mjs';
import { runJest } from './run-jest.mjs';

const { values: options } = parseArgs({ options: { out: { type: 'string' }, before: { type: 'string' } } });
/** Matches no case, so Jest lists all of them and runs none. */
const NO_CASE = '^no case has this name$';

/** @returns {Promise<string[]>} `<path>\t<names of the blocks around it> <name>`, sorted */
async function allCases() {
  const directory = mkdtempSync(join(tmpdir(), 'unified-calendar-cases-'));
  try {
    const found = [];
    for (const project of ['unit', 'servers']) {
      const output = join(directory, `${project}.json`);
      const selection = ['--reporters', join(import.meta.dirname, 'silent-reporter.mjs')];
      const deadlineMs = performance.now() + 20 * 60_000;
      await runJest({ project, workers: availableParallelism(), selection, cases: NO_CASE, output, deadlineMs });
      for (const { name, message, assertionResults } of JSON.parse(readFileSync(output, 'utf8')).testResults) {
        if (assertionResults.length === 0) throw new Error(`${name} has no cases: ${message}`);
        for (const { ancestorTitles, title } of assertionResults)
          found.push(`${relative(ROOT, name)}\t${inOneLine([...ancestorTitles, title].join(' '))}`);
      }
    }
    return found.toSorted();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Titles may contain multi-line values. Stack frames are dropped, because their line numbers change. */
function inOneLine(name) {
  return name.replaceAll(/\n\s+at .*/g, '').replaceAll('\n', '\\n');
}

/** Counts cases by name, across suites. */
function counted(cases) {
  const counts = new Map();
  for (const line of cases) {
    const name = line.slice(line.indexOf('\t') + 1);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

const cases = await allCases();
if (options.out !== undefined) writeFileSync(options.out, `${cases.join('\n')}\n`);
if (options.before !== undefined) {
  const [before, after] = [readFileSync(options.before, 'utf8').trimEnd().split('\n'), cases].map(counted);
  const changes = [...new Set([...before.keys(), ...after.keys()])].map((name) => ({
    name,
    change: (after.get(name) ?? 0) - (before.get(name) ?? 0),
  }));
  for (const { name, change } of changes.filter(({ change }) => change !== 0)) {
    console.log(`${change > 0 ? '+' : '-'}${Math.abs(change)}\t${name}`);
  }
}
if (options.out === undefined && options.before === undefined) for (const line of cases) console.log(line);
console.error(`${cases.length} cases`);
