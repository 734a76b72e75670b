// Which suites there are, and which command runs them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../apps/stack/bootstrap.mjs';

/** `npm run test:resilience`; all others are `npm test`. */
const RESILIENCE = [
  'test/resilience/',
  'test/packaging/',
  'test/api/fuzzing/',
  'test/api/clients/generated-clients.test.ts',
  'test/api/clients/typescript-client-package.test.ts',
  'test/docs/runbook-commands.test.ts',
  'test/docs/tour.test.ts',
];

const SOURCES = ['apps', 'clients', 'libs', 'test'];

/** Needs a server. @param {string} path */
export const needsServer = (path) => path.endsWith('.test.ts');

/** Starts what was built, or reads it. @param {string} path */
export const needsBuild = (path) => path.startsWith('test/');

/** @param {string} path */
const isPure = (path) => path.endsWith('.spec.ts');

/** @param {string} suffix @returns {(path: string) => boolean} */
const called = (suffix) => (path) => path.endsWith(suffix);

/** Puts another module in the place of one that suites beside it have. */
const isAlone = called('.alone.spec.ts');

/** Measures time: nothing else may run beside it. */
const isTimed = called('.timed.test.ts');

/**
 * How suites run, in this order: which of Jest's projects they belong to, and how many at a time.
 * @type {{ phase: string, project: string, workers(cores: number): number, has(path: string): boolean }[]}
 */
export const PHASES = [
  { phase: 'pure suites', project: 'unit', workers: (cores) => cores, has: (path) => isPure(path) && !isAlone(path) },
  { phase: 'pure suites', project: 'unit', workers: () => 1, has: isAlone },
  {
    phase: 'suites with servers',
    project: 'servers',
    // Two thirds of the time of such a suite are waiting for others.
    workers: (cores) => Math.ceil(cores * 2.5),
    has: (path) => needsServer(path) && !isTimed(path),
  },
  { phase: 'suites that measure time', project: 'servers', workers: () => 1, has: isTimed },
];

/** @param {string} path */
export const isResilience = (path) => needsServer(path) && RESILIENCE.some((part) => path.startsWith(part));

/** @returns {string[]} paths of all suites below the root */
export function allSuites(root = ROOT) {
  return SOURCES.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((name) => join(folder, String(name)))
      .filter((path) => (isPure(path) || needsServer(path)) && !path.includes('node_modules')),
  ).toSorted();
}

/**
 * What somebody types behind `npm test --`: part of a path, or else part of the name of a case.
 * @param {string[]} suites
 * @param {string[]} filters none: everything
 * @returns {{ paths: string[], name: string | null }} `name`: of the cases to run in these suites; null: all of them
 */
export function select(suites, filters, root = ROOT) {
  if (filters.length === 0) return { paths: suites, name: null };
  const paths = suites.filter((path) => filters.some((part) => path.includes(part)));
  if (paths.length > 0) return { paths, name: null };
  const name = filters.join(' ');
  // A title may hold values of its own (%s): a suite that has the words of one is asked.
  const words = name.toLowerCase().split(/\s+/);
  const mayHave = (path) => {
    const texts = textsOf(join(root, path)).map((text) => text.toLowerCase());
    return texts.some((text) => words.every((word) => text.includes(word)));
  };
  return { paths: suites.filter(mayHave), name };
}

/** The text of a suite, and of the files of its folder that it takes cases from. */
function textsOf(path, seen = new Set()) {
  if (seen.has(path) || !existsSync(path)) return [];
  seen.add(path);
  const text = readFileSync(path, 'utf8');
  const imported = [...text.matchAll(/from '(\.\/[^']+)\.js'/g)].map(([, name]) => join(dirname(path), `${name}.ts`));
  return [text, ...imported.flatMap((file) => textsOf(file, seen))];
}
