// Rows of the fault catalogue, and the suites that cover them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const numbered = (letter, last) => Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);

/** Abuse cases that concern operation: limits, quotas, public endpoints, images, supply chain. */
const ABUSE = ['N52', 'N54', 'N58', 'N59', 'N65', 'N66'];

/** Faults, webhook deliveries, tokens. */
export const ROWS = [...numbered('F', 40), ...numbered('W', 20), ...numbered('T', 16), ...ABUSE];

/** A test covers the rows that its title, or a title around it, names. */
export const ROW_IN_TITLE = `(?:^|\\s)(?:F(?:[1-9]|[1-3]\\d|40)|W(?:[1-9]|1\\d|20)|T(?:[1-9]|1[0-6])|${ABUSE.join('|')})(?=[\\s:,]|$)`;

/** @param {string} title including the titles around it */
export function rowsOf(title) {
  return [...new Set(title.match(new RegExp(ROW_IN_TITLE, 'g'))?.map((row) => row.trim()) ?? [])];
}

/** Titles of suites and cases in source code. */
const TITLE = /\b(?:describe|it)\b(?:\.\w+(?:<[^(]*>)?(?:\((?:[^()]|\([^()]*\))*\))?)*\(\s*(['"`])((?:(?!\1).)*)\1/g;

/** Suites of the sandbox, which plays faults of other services. */
const NOT_THE_SERVICE = [join('test', 'sandbox'), join('apps', 'sandbox')];

/**
 * @param {string} root of the repository
 * @returns {Map<string, string[]>} rows by path of the suite, below the root
 */
export function suitesWithRows(root) {
  const suites = new Map();
  for (const folder of ['apps', 'libs', 'test']) {
    for (const file of readdirSync(join(root, folder), { recursive: true })) {
      const path = join(folder, String(file));
      if (!/\.(?:spec|test)\.ts$/.test(path) || path.includes('node_modules')) continue;
      if (NOT_THE_SERVICE.some((part) => path.startsWith(part))) continue;
      const titles = [...readFileSync(join(root, path), 'utf8').matchAll(TITLE)].map(([, , title]) => title ?? '');
      const rows = [...new Set(titles.flatMap(rowsOf))];
      if (rows.length > 0) suites.set(path, rows);
    }
  }
  return suites;
}
