import { jest } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Suite {
  path: string;
  phase: string;
  seconds: number;
  startingSeconds: number;
  passed: number;
  failed: number;
  skipped: number;
}
interface Report {
  passed: number;
  failed: number;
  skipped: number;
  suites: Suite[];
}

const { readReport, slowestLines, unexplained } = (await import(new URL('./report.mjs', import.meta.url).href)) as {
  readReport(output: string, phase: string, exitCode: number, isWhole?: boolean): Report;
  slowestLines(suites: Suite[]): string[];
  unexplained(suites: Suite[], read: (path: string) => string): string[];
};

const ROOT = join(import.meta.dirname, '..', '..');
const A = { name: join(ROOT, 'test/a.test.ts'), status: 'failed' };
const suite = (path: string, seconds: number, startingSeconds = 0): Suite => ({
  ...{ path, phase: 'pure suites', seconds, startingSeconds },
  ...{ passed: 1, failed: 0, skipped: 0 },
});

describe('readReport', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'unified-calendar-report-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const written = (result: object) => {
    const output = join(directory, 'result.json');
    writeFileSync(output, JSON.stringify(result));
    return output;
  };

  it('says how long a suite took, and how much of it was not in cases', () => {
    const cases = [
      { status: 'passed', duration: 1_500 },
      { status: 'failed', duration: 500 },
      { status: 'pending', duration: null },
    ];
    const output = written({
      testResults: [{ ...A, startTime: 1_000, endTime: 6_000, assertionResults: cases }],
    });
    expect(readReport(output, 'suites with servers', 1)).toEqual({
      ...{ passed: 1, failed: 1, skipped: 1 },
      suites: [
        {
          ...{ path: 'test/a.test.ts', phase: 'suites with servers', seconds: 5, startingSeconds: 3 },
          ...{ passed: 1, failed: 1, skipped: 1 },
        },
      ],
    });
  });

  it('counts a suite that cannot be loaded or fails after its last case, and a run that names no failure', () => {
    const ended = (status: string, assertionResults: object[]) =>
      written({ testResults: [{ ...A, status, startTime: 0, endTime: 1, assertionResults }] });
    const passed = [{ status: 'passed', duration: 1 }];
    expect(readReport(ended('failed', []), 'pure suites', 1)).toMatchObject({ passed: 0, failed: 1 });
    expect(readReport(ended('failed', passed), 'pure suites', 1)).toMatchObject({ passed: 1, failed: 1 });
    expect(readReport(ended('passed', passed), 'pure suites', 1)).toMatchObject({ passed: 1, failed: 1 });
    expect(readReport(ended('passed', passed), 'pure suites', 0)).toMatchObject({ passed: 1, failed: 0 });
  });

  it('does not count as skipped what was not asked for', () => {
    const cases = [
      { status: 'passed', duration: 1 },
      { status: 'pending', duration: null },
    ];
    const output = written({
      testResults: [{ ...A, status: 'passed', startTime: 0, endTime: 1, assertionResults: cases }],
    });
    expect(readReport(output, 'pure suites', 0, false)).toMatchObject({ passed: 1, skipped: 0 });
  });

  it('counts a run without a result as failed', () => {
    const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    expect(readReport(join(directory, 'none.json'), 'pure suites', 137)).toMatchObject({ passed: 0, failed: 1 });
    expect(log).toHaveBeenCalledWith(expect.stringContaining('137'));
    log.mockRestore();
  });
});

describe('slowestLines', () => {
  it('names the twenty slowest suites, the slowest first', () => {
    const suites = Array.from({ length: 25 }, (_, index) => suite(`test/${index}.test.ts`, index, index / 2));
    const lines = slowestLines(suites);
    expect(lines).toHaveLength(21);
    expect(lines[0]).toContain('of the 20 slowest of 25 suites');
    expect(lines[1]).toBe('     24.0      12.0  test/24.test.ts');
    expect(lines.at(-1)).toContain('test/5.test.ts');
  });
});

describe('unexplained', () => {
  it('names suites that take more than 30 s and begin with no comment', () => {
    const texts: Record<string, string> = {
      'test/why.test.ts': '// 60 s: it waits for a lease to end.\nimport { it } from "x";',
      'test/why-not.test.ts': 'import { it } from "x";\n// late',
      'test/short.test.ts': 'import { it } from "x";',
    };
    const suites = [suite('test/why.test.ts', 60), suite('test/why-not.test.ts', 31), suite('test/short.test.ts', 30)];
    expect(unexplained(suites, (path) => texts[path]!)).toEqual(['test/why-not.test.ts']);
  });
});
