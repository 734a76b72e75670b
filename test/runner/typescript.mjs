// Runs TypeScript sources directly: resolves `.js` specifiers to them and emits decorator metadata.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from '@swc/core';
import { ROOT } from '../../apps/stack/bootstrap.mjs';

const CACHE = join(ROOT, 'node_modules/.cache/unified-calendar/typescript');
mkdirSync(CACHE, { recursive: true });

const OPTIONS = {
  sourceMaps: 'inline',
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    experimental: { keepImportAttributes: true },
  },
  module: { type: 'es6' },
};

/** Maps `./start.js` to start.ts. A query such as `?anew` loads another instance. @returns {string | undefined} URL */
export function sourceBehind(specifier, parentURL) {
  const [, path, query = ''] = /^(\.{1,2}\/.*)\.js(\?.*)?$/.exec(specifier) ?? [];
  if (path === undefined) return undefined;
  const source = new URL(`${path}.ts`, parentURL);
  return existsSync(source) ? source.href + query : undefined;
}

/** @param {string} source @param {string} file its name @returns {string} JavaScript */
export function transpiled(source, file) {
  return transformSync(source, { filename: file, ...OPTIONS }).code;
}

/** @param {string} file @returns {string} JavaScript with its source map, cached on disk until the file changes */
export function compiled(file) {
  const source = readFileSync(file, 'utf8');
  const version = `\n// ${digest(JSON.stringify(OPTIONS), source)}`;
  // One cache file per source, replaced when the source changes.
  const kept = join(CACHE, `${digest(file)}.js`);
  const before = existsSync(kept) ? readFileSync(kept, 'utf8') : '';
  if (before.endsWith(version)) return before;
  const code = transpiled(source, file) + version;
  const unfinished = `${kept}.${process.pid}`;
  writeFileSync(unfinished, code);
  renameSync(unfinished, kept);
  return code;
}

/** @param {string[]} texts @returns {string} */
const digest = (...texts) => createHash('sha256').update(texts.join('\0')).digest('hex');
