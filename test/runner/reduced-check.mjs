// Collects the messages of reducedCheck() (test/support/reduced-check.ts) from a Jest run.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const fileIn = (directory) => join(directory, 'not-proved.jsonl');

/** @param {string} output file of a run of jest @returns {NodeJS.ProcessEnv} settings for its suites */
export const reducedSettings = (output) => ({ NOT_PROVED_FILE: fileIn(dirname(output)) });

/**
 * @param {string} directory of the output files
 * @returns {string[]} one line per test and reason
 */
export function reducedLines(directory) {
  const file = fileIn(directory);
  if (!existsSync(file)) return [];
  const said = readFileSync(file, 'utf8').trimEnd().split('\n').map(JSON.parse);
  return [...new Set(said.map(({ what, why }) => `NOT PROVED ${what}: ${why}`))];
}
