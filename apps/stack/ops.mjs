// Implements `npm run -s ops -- …`, the operator's command line. Preparation messages go to stderr.
import { join } from 'node:path';
import { continueOnPinnedNode, ensureBuilt, ensureInstalled, fail, requireSupportedNode, ROOT } from './bootstrap.mjs';

try {
  requireSupportedNode();
  ensureInstalled();
  ensureBuilt();
  await continueOnPinnedNode(join(ROOT, 'dist/apps/ops/src/main.js'), process.argv.slice(2));
} catch (error) {
  fail(error);
}
