import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DASHBOARD = join(import.meta.dirname, '../../apps/dashboard');

describe('the types of the dashboard', () => {
  it('are what the OpenAPI document of the operator API makes', () => {
    const directory = mkdtempSync(join(tmpdir(), 'dashboard-types-'));
    try {
      const generated = join(directory, 'operator-api.gen.ts');
      execFileSync(process.execPath, [join(DASHBOARD, 'generate.mjs'), generated], { stdio: 'ignore' });
      const committed = readFileSync(join(DASHBOARD, 'src/api/operator-api.gen.ts'), 'utf8');
      expect(readFileSync(generated, 'utf8')).toBe(committed);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
