// Results of a run: passed and failed cases, and the time of each suite.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../../apps/stack/bootstrap.mjs';

const SLOWEST = 20;
/** The first comment of a slower suite must give the reason. */
const LONG_S = 30;

/**
 * @typedef {{ path: string, phase: string, seconds: number, startingSeconds: number, passed: number, failed: number,
 *   skipped: number }} SuiteReport
 * @typedef {{ passed: number, failed: number, skipped: number, suites: SuiteReport[] }} RunReport
 */

const tenths = (ms) => Math.round(ms / 100) / 10;

/**
 * @param {string} output file that Jest wrote
 * @param {string} phase
 * @param {number} exitCode of Jest
 * @param {boolean} isWhole false when cases were selected by name
 * @returns {RunReport}
 */
export function readReport(output, phase, exitCode, isWhole = true) {
  let result;
  try {
    result = JSON.parse(readFileSync(output, 'utf8'));
  } catch (error) {
    console.log(`The runner left no result (exit code ${exitCode}): ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0, suites: [] };
  }
  const suites = result.testResults.map(({ name, status, startTime, endTime, assertionResults }) => {
    const count = (...statuses) => assertionResults.filter(({ status }) => statuses.includes(status)).length;
    const inCases = assertionResults.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
    return {
      path: relative(ROOT, name),
      phase,
      seconds: tenths(endTime - startTime),
      startingSeconds: tenths(Math.max(0, endTime - startTime - inCases)),
      passed: count('passed'),
      // Counts suites that fail to load or fail after their last case.
      failed: count('failed') || Number(status === 'failed'),
      // Cases outside a selection by name do not count as skipped.
      skipped: isWhole ? count('pending', 'todo') : 0,
    };
  });
  const report = totalOf(suites);
  // Jest may fail without naming a suite.
  return report.failed === 0 && exitCode !== 0 ? { ...report, failed: 1 } : report;
}

/** @param {SuiteReport[]} suites @returns {RunReport} */
function totalOf(suites) {
  const sum = (outcome) => suites.reduce((total, suite) => total + suite[outcome], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped'), suites };
}

/** @param {SuiteReport[]} suites @returns {string[]} one line per slow suite, with its time outside the cases */
export function slowestLines(suites) {
  const slowest = suites.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
  const row = (seconds, starting, path) => `${seconds.padStart(9)} ${starting.padStart(9)}  ${path}`;
  return [
    row('seconds', 'starting', `of the ${slowest.length} slowest of ${suites.length} suites`),
    ...slowest.map(({ seconds, startingSeconds, path }) => row(seconds.toFixed(1), startingSeconds.toFixed(1), path)),
  ];
}

/** @param {SuiteReport[]} suites @returns {string[]} paths of slow suites without a reason */
export function unexplained(suites, read = (path) => readFileSync(join(ROOT, path), 'utf8')) {
  return suites
    .filter(({ seconds, path }) => seconds > LONG_S && !/^\s*(?:\/\/|\/\*)/.test(read(path)))
    .map(({ path }) => path);
}

/** @param {string} file @param {object} report */
export function writeReport(file, report) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, null, 1)}\n`);
}
