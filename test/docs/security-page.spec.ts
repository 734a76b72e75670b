import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');

describe('the threats of docs/security.md', () => {
  const [, table = ''] = readFileSync(join(DOCS, 'security.md'), 'utf8').split('<!-- threats -->');
  const rows = table
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.split(' | '));
  const named = rows.map(([threat = '', , tests = '']) => ({
    threat: threat.replace('| ', '').trim(),
    // A link, and behind it the titles that are in that file.
    tests: [...tests.matchAll(/\]\(([^)]+)\)((?:,? ?"[^"]+")*)/g)].map(([, path = '', titles = '']) => ({
      path,
      titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title),
    })),
  }));

  it('are some', () => expect(named.length).toBeGreaterThan(20));

  it.each(named)('$threat: by tests that there are', ({ tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    for (const { path, titles } of tests) {
      expect(titles.length).toBeGreaterThan(0);
      const file = join(DOCS, path);
      expect(existsSync(file)).toBe(true);
      const source = readFileSync(file, 'utf8');
      for (const title of titles)
        expect(source).toMatch(new RegExp(`['"\`]${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`));
    }
  });
});
