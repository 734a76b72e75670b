// Lists the suites and assigns them to commands.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../apps/stack/bootstrap.mjs';

/** Suites of `npm run test:resilience`; all others belong to `npm test`. */
const RESILIENCE = [
  'test/resilience/',
  'test/packaging/',
  'test/api/fuzzing/',
  'test/api/clients/generated-clients.test.ts',
  'test/api/clients/javascript-runtimes.test.ts',
  'test/api/clients/typescript-client-package.test.ts',
  'test/docs/runbook-commands.test.ts',
  'test/docs/tour.test.ts',
];

const SOURCES = ['apps', 'clients', 'libs', 'test'];

/** @param {string} path */
export const needsServer = (path) => path.endsWith('.test.ts');

/** Suites that start or read the build. @param {string} path */
export const needsBuild = (path) => path.startsWith('test/');

/** @param {string} path */
const isPure = (path) => path.endsWith('.spec.ts');

/** @param {string} suffix @returns {(path: string) => boolean} */
const called = (suffix) => (path) => path.endsWith(suffix);

/** Suites that replace a module which other suites of the process use. */
const isAlone = called('.alone.spec.ts');

/** Suites that measure time and tolerate no load beside them. */
const isTimed = called('.timed.test.ts');

/**
 * The phases of a run, in order: a Jest project and its number of workers.
 * @type {{ phase: string, project: string, workers(cores: number): number, has(path: string): boolean }[]}
 */
export const PHASES = [
  { phase: 'pure suites', project: 'unit', workers: (cores) => cores, has: (path) => isPure(path) && !isAlone(path) },
  { phase: 'pure suites', project: 'unit', workers: () => 1, has: isAlone },
  {
    phase: 'suites with servers',
    project: 'servers',
    // These suites wait for other processes for two thirds of their time.
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
 * Selects suites by parts of paths or, when none matches, cases by a part of their name.
 * @param {string[]} suites
 * @param {string[]} filters empty selects everything
 * @returns {{ paths: string[], name: string | null }} `name`: filter for cases; null runs all
 */
export function select(suites, filters, root = ROOT) {
  if (filters.length === 0) return { paths: suites, name: null };
  const paths = suites.filter((path) => filters.some((part) => path.includes(part)));
  if (paths.length > 0) return { paths, name: null };
  const name = filters.join(' ');
  // Titles may contain placeholders (%s), so a suite matches when it contains all words of a title.
  const words = name.toLowerCase().split(/\s+/);
  const mayHave = (path) => {
    const texts = textsOf(join(root, path)).map((text) => text.toLowerCase());
    return texts.some((text) => words.every((word) => text.includes(word)));
  };
  return { paths: suites.filter(mayHave), name };
}

/** Returns the text of a suite and of the files in its folder that it imports. */
function textsOf(path, seen = new Set()) {
  if (seen.has(path) || !existsSync(path)) return [];
  seen.add(path);
  const text = readFileSync(path, 'utf8');
  const imported = [...text.matchAll(/from '(\.\/[^']+)\.js'/g)].map(([, name]) => join(dirname(path), `${name}.ts`));
  return [text, ...imported.flatMap((file) => textsOf(file, seen))];
}
