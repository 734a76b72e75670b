import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

describe('a spec beside the code', () => {
  const specs = execFileSync('git', ['ls-files', 'libs/*.spec.ts', 'apps/*.spec.ts'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !file.includes('/specs/') && existsSync(join(ROOT, file)));

  it('has the name of its file, with what it is about if there are several: `errors.body.spec.ts`', () => {
    expect(specs.length).toBeGreaterThan(250);
    const lost = specs.filter((file) => {
      const parts = file.slice(0, -'.spec.ts'.length).split('.');
      const names = parts.map((_, index) => parts.slice(0, index + 1).join('.'));
      return !names.some((name) => ['.ts', '.tsx', '.mjs'].some((ending) => existsSync(join(ROOT, name + ending))));
    });
    expect(lost).toEqual([]);
  });
});
