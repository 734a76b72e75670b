import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Program {
  names: string[];
  launcher: string;
}

const { lackedBy } = (await import(new URL('./programs.mjs', import.meta.url).href)) as {
  lackedBy(root: string, suite: string, unavailable: Program[]): string[];
};

describe('lackedBy', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'unified-calendar-programs-'));
    mkdirSync(join(root, 'test/support'), { recursive: true });
    writeFileSync(join(root, 'test/support/radicale.ts'), "import './servers.js';");
    writeFileSync(join(root, 'test/support/servers.ts'), "export { start } from './radicale.js';");
    writeFileSync(join(root, 'test/direct.test.ts'), "import { start } from './support/radicale.js';");
    writeFileSync(join(root, 'test/indirect.test.ts'), "const all = await import('./support/servers.js');");
    writeFileSync(join(root, 'test/other.test.ts'), "// radicale\nimport { it } from '@jest/globals';");
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const radicale = { names: ['radicale'], launcher: 'test/support/radicale.ts' };

  it.each(['direct', 'indirect'])('names the program that a suite with a %s import needs', (name) => {
    expect(lackedBy(root, `test/${name}.test.ts`, [radicale])).toEqual(['radicale']);
  });

  it('names nothing when the program is there, or the suite does not start it', () => {
    expect(lackedBy(root, 'test/direct.test.ts', [])).toEqual([]);
    expect(lackedBy(root, 'test/other.test.ts', [radicale])).toEqual([]);
  });
});
