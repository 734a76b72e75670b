import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

describe('the page for operators', () => {
  const page = readFileSync(join(ROOT, 'docs', 'operations', 'README.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([^`]+)` +\| (error|warn) /gm)].map(([, msg = '', level = '']) => ({
    msg,
    level,
  }));
  const sources = execFileSync('git', ['ls-files', 'apps', 'libs'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((path) => /(?<!\.spec)\.ts$/.test(path))
    .map((path) => readFileSync(join(ROOT, path), 'utf8'));

  it('has rows', () => expect(rows.length).toBeGreaterThan(10));

  it.each(rows)('names what is logged as $level: $msg', ({ msg, level }) => {
    const written = new RegExp(`\\.${level}\\(\\{\\s*msg: '${msg.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}'`);
    expect(sources.some((source) => written.test(source))).toBe(true);
  });
});
