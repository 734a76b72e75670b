import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf, temporaryDirectory } from '../support/processes.js';

let directory: { path: string; remove(): Promise<void> };
beforeEach(async () => {
  directory = await temporaryDirectory('hooks');
});
afterEach(() => directory.remove());

/** @returns what the hooks of the suite in fixtures/ wrote, undefined: none of them ran */
async function hooksOf(cases: string): Promise<string | undefined> {
  const file = join(directory.path, 'seen');
  const args = ['test/runner/jest.mjs', 'unit', 'test/runner/fixtures/hooks', '-t', cases];
  await outputOf(process.execPath, args, process.cwd(), { HOOKS_SEEN: file });
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

it('runs hooks around the chosen cases, and puts spies back after the last of them', async () => {
  expect(await hooksOf('has a spy')).toBe('before\nafter: replaced\n');
});

it('runs no hook, not even the first of a suite, when no case of the suite is chosen', async () => {
  expect(await hooksOf('none')).toBeUndefined();
});
