// One run of Jest.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { ROOT, withModulesOnPath } from '../../apps/stack/bootstrap.mjs';
import { notProvedSettings } from './not-proved.mjs';

/**
 * @param {{ project: string, workers: number, selection: string[], output: string, deadlineMs: number }} options
 * @returns {Promise<number>} exit code
 */
export function runJest({ project, workers, selection, output, deadlineMs }) {
  const child = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      // The workers inherit these. Bodies of providers are short-lived garbage: with V8's 16 MB of young space a sixth of
      // the time of suites with servers is its collection.
      ...(project === 'servers' ? ['--min-semi-space-size=64', '--max-semi-space-size=128'] : []),
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      ...['-c', join(ROOT, 'test/runner/jest.config.mjs'), '--selectProjects', project],
      ...[`--maxWorkers=${workers}`, '--passWithNoTests', '--json', `--outputFile=${output}`],
      // A suite that fails may leave processes behind, for which jest would wait without end.
      ...(project === 'servers' ? ['--forceExit'] : []),
      ...selection,
    ],
    // With --json jest prints its report to stderr and the JSON, which is in the file too, to stdout.
    {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: withModulesOnPath({ ...process.env, ...notProvedSettings(output) }),
    },
  );
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
