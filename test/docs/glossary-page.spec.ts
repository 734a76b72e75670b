import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs/development/glossary.md'), 'utf8');
const rows = [...page.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\| ([^|]+?) +\|$/gm)]
  .map(([, word = '', meaning = '', code = '']) => ({ word, meaning, code }))
  .filter(({ word, meaning }) => word !== 'Word' && !/^:?-+:?$/.test(meaning));

const sources = execFileSync('git', ['ls-files', 'libs', 'apps'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !/\.(spec|gen)\.ts$/.test(file));
const declared = new Set(
  sources.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\b(?:class|interface|type|const) ([A-Z]\w+)/g)].map(
      ([, name]) => name,
    ),
  ),
);

describe('docs/development/glossary.md', () => {
  it('has words', () => {
    expect(rows.length).toBeGreaterThan(30);
  });

  it('names a word once', () => {
    const words = rows.flatMap(({ word }) => word.split(', '));
    expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
  });

  it.each(rows)('$word: what it names is declared', ({ code }) => {
    const names = [...code.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name);
    expect(names.filter((name) => !declared.has(name))).toEqual([]);
  });
});
