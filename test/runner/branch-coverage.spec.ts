import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
// @ts-expect-error: a program without types
import { BranchCoverage } from './branch-coverage.mjs';

describe('BranchCoverage', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'unified-calendar-branches-'));
    for (const folder of ['libs/sums/src', 'apps/api', 'apps/worker', 'ended']) {
      mkdirSync(join(root, folder), { recursive: true });
    }
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('finds the branches of a source that Jest ran as it is', () => {
    const file = join(root, 'libs/sums/src/sum.ts');
    const source =
      'export const sum = (a: number, b: number | null) => {\n  if (b === null) return a;\n  return a + b;\n};\n';
    writeFileSync(file, source);
    const coverage = new BranchCoverage(root);
    const whole = { startOffset: 0, endOffset: 10_000, count: 1 };
    const report = { result: [{ url: pathToFileURL(file).href, functions: [{ ranges: [whole] }] }] };
    const ended = join(root, 'ended');
    writeFileSync(join(ended, 'coverage-1.json'), JSON.stringify(report));
    coverage.addProcesses(ended, 0);
    expect(coverage.files()).toEqual([{ path: 'libs/sums/src/sum.ts', lines: [2], ran: [0] }]);
  });
});
