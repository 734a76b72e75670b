import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notProved } from '../support/not-proved.js';

const { notProvedLines, notProvedSettings } = (await import(new URL('./not-proved.mjs', import.meta.url).href)) as {
  notProvedLines(directory: string): string[];
  notProvedSettings(output: string): NodeJS.ProcessEnv;
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
      Object.assign(process.env, notProvedSettings(join(directory, run)));
      notProved('F20 a full disk', 'nothing can be mounted here');
      notProved('another', `not ${run}`);
    }
    expect(notProvedLines(directory)).toEqual([
      'NOT PROVED F20 a full disk: nothing can be mounted here',
      'NOT PROVED another: not 1.json',
      'NOT PROVED another: not 2.json',
    ]);
  });

  it('is nothing when nobody said so', () => {
    expect(notProvedLines(directory)).toEqual([]);
  });
});
