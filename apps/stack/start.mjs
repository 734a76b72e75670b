// Implements `npm start` and, with --watch, `npm run dev`. See docs/development/README.md.
import { join } from 'node:path';
import { continueOnPinnedNode, ensureBuilt, ensureInstalled, fail, requireSupportedNode, ROOT } from './bootstrap.mjs';

try {
  requireSupportedNode();
  ensureInstalled();
  ensureBuilt();
  await continueOnPinnedNode(join(ROOT, 'dist/apps/stack/src/main.js'), process.argv.slice(2));
} catch (error) {
  fail(error);
}
