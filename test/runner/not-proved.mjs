// What suites said by notProved() of test/support/not-proved.ts while jest ran.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const fileIn = (directory) => join(directory, 'not-proved.jsonl');

/** @param {string} output file of a run of jest @returns {NodeJS.ProcessEnv} what its suites have to be told */
export const notProvedSettings = (output) => ({ NOT_PROVED_FILE: fileIn(dirname(output)) });

/**
 * @param {string} directory where the output files of the runs are
 * @returns {string[]} a line for each test and reason, once however often it ran
 */
export function notProvedLines(directory) {
  const file = fileIn(directory);
  if (!existsSync(file)) return [];
  const said = readFileSync(file, 'utf8').trimEnd().split('\n').map(JSON.parse);
  return [...new Set(said.map(({ what, why }) => `NOT PROVED ${what}: ${why}`))];
}
