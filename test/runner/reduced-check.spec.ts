import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reducedCheck } from '../support/reduced-check.js';

const { reducedLines, reducedSettings } = (await import(new URL('./reduced-check.mjs', import.meta.url).href)) as {
  reducedLines(directory: string): string[];
  reducedSettings(output: string): NodeJS.ProcessEnv;
};

describe('what suites could not prove', () => {
  const given = process.env['NOT_PROVED_FILE'];
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'unified-calendar-not-proved-'))));
  afterEach(() => {
    rmSync(directory, { recursive: true });
    if (given === undefined) delete process.env['NOT_PROVED_FILE'];
    else process.env['NOT_PROVED_FILE'] = given;
  });

  it('is listed at the end of all runs, once', () => {
    for (const run of ['1.json', '2.json']) {
      Object.assign(process.env, reducedSettings(join(directory, run)));
      reducedCheck('F20 a full disk', 'nothing can be mounted here');
      reducedCheck('another', `not ${run}`);
    }
    expect(reducedLines(directory)).toEqual([
      'NOT PROVED F20 a full disk: nothing can be mounted here',
      'NOT PROVED another: not 1.json',
      'NOT PROVED another: not 2.json',
    ]);
  });

  it('is nothing when nobody said so', () => {
    expect(reducedLines(directory)).toEqual([]);
  });
});
