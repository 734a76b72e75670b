// The processes that suites start, each in one file with all its packages: it is ready after half the processor time that
// the modules of dist/ and node_modules/ take (docs/development.md). What is shipped are those modules.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { ROOT } from '../../apps/stack/bootstrap.mjs';

const DIST = join(ROOT, 'dist');
export const BUNDLE = join(DIST, '.test-bundle');
const STAMP = join(BUNDLE, '.stamp');

/** Compiled modules, by the name of their bundle. */
const ENTRIES = {
  api: 'apps/api/src/main.js',
  worker: 'apps/worker/src/main.js',
  sandbox: 'apps/sandbox/src/main.js',
  ops: 'apps/ops/src/main.js',
  'ops-run': 'apps/ops/src/run.js',
  'operator-services': 'apps/ops/src/operator-services.js',
};

/** Stay packages: what is required at run time has to find the same registries of decorators, or others can do without it. */
const NOT_BUNDLED = [
  /^class-(transformer|validator)/,
  ...[/^@nestjs\/(microservices|websockets)/, /^@fastify\//, 'cli-color', 'pg-native'],
  ...[/^@mikro-orm\/(?!core|migrations|postgresql|sql)/, 'better-sqlite3', 'mysql2', 'tedious', 'mariadb'],
];

/** Bundles when dist/ or the packages are others than those of the last bundle. */
export async function ensureBundled() {
  const stamp = createHash('sha256')
    .update(readFileSync(join(DIST, '.build-stamp')))
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .update(readFileSync(import.meta.filename))
    .digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return;
  rmSync(BUNDLE, { recursive: true, force: true });
  const startedAt = performance.now();
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(DIST, path)])),
    platform: 'node',
    external: NOT_BUNDLED,
    logLevel: 'silent',
    plugins: [keepPlaces],
  });
  await bundle.write({ dir: BUNDLE, format: 'esm', entryFileNames: '[name].js', keepNames: true });
  writeFileSync(STAMP, stamp);
  console.log(`Bundled the processes in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
}

/** A module that reads a file beside it, or imports what it finds there, finds it where it was. */
const keepPlaces = {
  name: 'keep-places',
  transform(code, id) {
    if (!/import\.meta|__dirname|__filename/.test(code)) return null;
    const replaced = code
      .replaceAll(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(id).href))
      .replaceAll(/\bimport\.meta\.dirname\b/g, JSON.stringify(dirname(id)))
      .replaceAll(/\bimport\.meta\.filename\b/g, JSON.stringify(id))
      .replaceAll(/(?<![.\w])__dirname\b(?!\s*=)/g, JSON.stringify(dirname(id)))
      .replaceAll(/(?<![.\w])__filename\b(?!\s*=)/g, JSON.stringify(id));
    return { code: replaced };
  },
};
