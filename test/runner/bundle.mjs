// Bundles each process that suites start into one file, which halves the processor time of a start
// (docs/development/README.md). Only the unbundled modules are shipped.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { ROOT } from '../../apps/stack/bootstrap.mjs';

const DIST = join(ROOT, 'dist');
export const BUNDLE = join(DIST, '.test-bundle');
const STAMP = join(BUNDLE, '.stamp');

/** Compiled entry modules by bundle name. */
const ENTRIES = {
  api: 'apps/api/src/main.js',
  worker: 'apps/worker/src/main.js',
  sandbox: 'apps/sandbox/src/main.js',
  ops: 'apps/ops/src/main.js',
  'ops-run': 'apps/ops/src/run.js',
  'operator-services': 'apps/ops/src/operator-services.js',
};

/** Packages stay external when run-time imports must share their decorator registries, or when they are optional. */
const NOT_BUNDLED = [
  /^class-(transformer|validator)/,
  ...[/^@nestjs\/(microservices|websockets)/, /^@fastify\//, 'cli-color', 'pg-native'],
  ...[/^@mikro-orm\/(?!core|migrations|postgresql|sql)/, 'better-sqlite3', 'mysql2', 'tedious', 'mariadb'],
];

/** Bundles when dist/ or the packages have changed. */
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

/** Keeps the original location of modules that read or import files relative to themselves. */
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
