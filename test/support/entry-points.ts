import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');
/** The Node that the product is built for. */
export const NODE = join(ROOT, 'node_modules/node/bin/node');

const MODULES = {
  api: 'apps/api/src/main.js',
  worker: 'apps/worker/src/main.js',
  sandbox: 'apps/sandbox/src/main.js',
  ops: 'apps/ops/src/main.js',
  'ops-run': 'apps/ops/src/run.js',
  'operator-services': 'apps/ops/src/operator-services.js',
};

/**
 * Path of a process' first module: its bundle where the runner says that there is one (`TEST_BUNDLE`, test/runner/bundle.mjs),
 * else what was built.
 * @param root where it was built; by default here
 */
export function entryPoint(name: keyof typeof MODULES, root = ROOT): string {
  const bundle = process.env['TEST_BUNDLE'];
  return bundle !== undefined && root === ROOT ? join(bundle, `${name}.js`) : join(root, 'dist', MODULES[name]);
}
