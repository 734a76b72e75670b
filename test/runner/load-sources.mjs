// Lets Jest's processes load the TypeScript sources as native modules.
import { readFileSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ROOT } from '../../apps/stack/bootstrap.mjs';
import './keep-settings.mjs';
import { compiled, sourceBehind } from './typescript.mjs';

const HERE = pathToFileURL(ROOT).href;
const GLOBALS = new URL('./jest-globals.mjs', import.meta.url).href;
const { paths } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')).compilerOptions;

enableCompileCache(join(ROOT, 'node_modules/.cache/unified-calendar/compiled'));
process.setSourceMapsEnabled(true);

const isOurs = (url) => url?.startsWith(HERE) && !url.includes('/node_modules/');

/** `#domain`, `#domain/testing/mirrors`: our own sources, where tsconfig.json says. */
function sourceOf(name) {
  const last = name.lastIndexOf('/');
  const [path] = paths[name] ?? paths[`${name.slice(0, last)}/*`] ?? [];
  if (path === undefined) throw new Error(`tsconfig.json has no path for ${name}`);
  return pathToFileURL(join(ROOT, path.replace('*', name.slice(last + 1)))).href;
}

function urlOf(specifier, parentURL) {
  if (specifier === '@jest/globals') return GLOBALS;
  return specifier.startsWith('#') ? sourceOf(specifier) : sourceBehind(specifier, parentURL);
}

registerHooks({
  resolve(specifier, context, next) {
    const url = isOurs(context.parentURL) ? urlOf(specifier, context.parentURL) : undefined;
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
  },
  load(url, context, next) {
    if (!isOurs(url) || !/\.ts(\?|$)/.test(url)) return next(url, context);
    return { format: 'module', source: compiled(fileURLToPath(url)), shortCircuit: true };
  },
});
