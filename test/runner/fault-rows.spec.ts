import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { ROWS, rowsOf, suitesWithRows } = (await import(new URL('./fault-rows.mjs', import.meta.url).href)) as {
  ROWS: string[];
  rowsOf(title: string): string[];
  suitesWithRows(root: string): Map<string, string[]>;
};

const ROOT = join(import.meta.dirname, '..', '..');
const uncovered = JSON.parse(readFileSync(join(ROOT, 'test/resilience/uncovered.json'), 'utf8')) as Record<
  string,
  string
>;

describe('the catalogue of faults', () => {
  it('has a suite for each row, or says why there is none', () => {
    const covered = new Set([...suitesWithRows(ROOT).values()].flat());
    expect(ROWS.filter((row) => !covered.has(row))).toEqual(Object.keys(uncovered));
  });

  it.each([
    ['F1 F22 W9 lose nothing', ['F1', 'F22', 'W9']],
    ['workers F2, and T16: too', ['F2', 'T16']],
    ['F41 W21 T17 F0', []],
    ['N47 of F-words, 0xF1 and F12x', []],
    ['the end is F40', ['F40']],
    ['N52 N53 N540 N66, of abuse', ['N52', 'N66']],
  ])('finds the rows of a title: %s', (title, rows) => {
    expect(rowsOf(title)).toEqual(rows);
  });
});
