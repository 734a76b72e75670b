import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const { allSuites, isResilience, PHASES, select } = (await import(new URL('./suites.mjs', import.meta.url).href)) as {
  allSuites(root?: string): string[];
  isResilience(path: string): boolean;
  PHASES: { phase: string; has(path: string): boolean }[];
  select(suites: string[], filters: string[], root: string): { paths: string[]; name: string | null };
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'unified-calendar-suites-'));
  const files = {
    'apps/api/src/a.spec.ts': "it('answers at once', work);",
    'apps/api/src/a.ts': '',
    'clients/typescript/src/b.spec.ts': '',
    'clients/typescript/node_modules/p/c.spec.ts': '',
    'libs/domain/src/d.spec.ts': "describe('events', () => it('Answers %s AT once', work));",
    'test/webhooks/e.test.ts': "import { notifiedAgain } from './shared.js';\nit('is told', work);",
    'test/webhooks/shared.ts': "export const notifiedAgain = () => it('is told again', work);",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});
afterEach(() => rmSync(root, { recursive: true }));

describe('allSuites', () => {
  it('finds the suites of every folder, and none of packages', () => {
    expect(allSuites(root)).toEqual([
      'apps/api/src/a.spec.ts',
      'clients/typescript/src/b.spec.ts',
      'libs/domain/src/d.spec.ts',
      'test/webhooks/e.test.ts',
    ]);
  });
});

describe('select', () => {
  it.each<[string[], string[], string | null]>([
    [
      [],
      [
        'apps/api/src/a.spec.ts',
        'clients/typescript/src/b.spec.ts',
        'libs/domain/src/d.spec.ts',
        'test/webhooks/e.test.ts',
      ],
      null,
    ],
    [['webhooks/'], ['test/webhooks/e.test.ts'], null],
    [['webhooks', 'libs/domain'], ['libs/domain/src/d.spec.ts', 'test/webhooks/e.test.ts'], null],
    [['at once'], ['apps/api/src/a.spec.ts', 'libs/domain/src/d.spec.ts'], 'at once'],
    [['told again'], ['test/webhooks/e.test.ts'], 'told again'],
    [['nothing', 'has', 'this'], [], 'nothing has this'],
  ])('%j takes %j', (filters, paths, name) => {
    expect(select(allSuites(root), filters, root)).toEqual({ paths, name });
  });
});

describe('isResilience', () => {
  it('is what breaks, packages, fuzzes or loads the service, never a pure suite', () => {
    expect(isResilience('test/resilience/redis.test.ts')).toBe(true);
    expect(isResilience('test/resilience/soak/figures.spec.ts')).toBe(false);
    expect(isResilience('test/webhooks/deliveries.test.ts')).toBe(false);
  });
});

describe('PHASES', () => {
  it.each([
    ['libs/domain/src/d.spec.ts', 'pure suites'],
    ['test/docs/d.alone.spec.ts', 'pure suites'],
    ['test/webhooks/e.test.ts', 'suites with servers'],
    ['test/resilience/e.timed.test.ts', 'suites that measure time'],
  ])('have %s once, among the %s', (path, phase) => {
    expect(PHASES.filter(({ has }) => has(path)).map((one) => one.phase)).toEqual([phase]);
  });
});
