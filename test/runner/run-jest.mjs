import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT, withModulesOnPath } from '../../apps/stack/bootstrap.mjs';
import { reducedSettings } from './reduced-check.mjs';

/** Worker processes of Jest inherit these options. */
const NODE_OPTIONS = [
  ...['--import', join(ROOT, 'test/runner/load-sources.mjs')],
  '--experimental-test-module-mocks',
  '--disable-warning=ExperimentalWarning',
];

/** Provider bodies are short-lived garbage. With 16 MB of young space V8 spends much of the time on collections. */
const OF_SERVERS = ['--min-semi-space-size=64', '--max-semi-space-size=128'];

/** @param {string} project @param {string[]} args of Jest @returns {string[]} arguments of Node */
export const jestCommand = (project, args) => [
  ...NODE_OPTIONS,
  ...(project === 'servers' ? OF_SERVERS : []),
  join(ROOT, 'node_modules/jest/bin/jest.js'),
  ...['--selectProjects', project, '-c', join(ROOT, 'test/runner/jest.config.mjs')],
  ...args,
];

/** Jest prints hundreds of paths in this line. */
const PATHS_OF_SELECTION = 'Ran all test suites within paths';

/**
 * `cases`: regular expression for the names of cases to run.
 * @param {{ project: string, workers: number, selection: string[], cases?: string, output: string,
 *   deadlineMs: number }} options
 * @returns {Promise<number>} exit code
 */
export function runJest({ project, workers, selection, cases, output, deadlineMs }) {
  const args = [
    ...[`--maxWorkers=${workers}`, '--passWithNoTests', '--json', `--outputFile=${output}`],
    ...(cases === undefined ? [] : [`--testNamePattern=${cases}`]),
    // A failed suite may leave processes behind, and Jest would wait for them forever.
    ...(project === 'servers' ? ['--forceExit'] : []),
    ...selection,
  ];
  const child = spawn(process.execPath, jestCommand(project, args), {
    cwd: ROOT,
    // With --json Jest prints its report to stderr, and the JSON to both stdout and the file.
    stdio: ['ignore', 'ignore', 'pipe'],
    env: withModulesOnPath({ ...process.env, ...reducedSettings(output), TEST_CASES: cases }),
  });
  createInterface(child.stderr).on('line', (line) => {
    if (!line.startsWith(PATHS_OF_SELECTION)) process.stderr.write(`${line}\n`);
  });
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      console.log(`The ${project} suites did not end in time.`);
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 5_000).unref();
    }, deadlineMs - performance.now());
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(limit);
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}
