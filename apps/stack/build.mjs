// Implements `npm run build`. docker/Dockerfile runs this file, too.
import { build, ensureInstalled, fail, requireSupportedNode } from './bootstrap.mjs';

try {
  requireSupportedNode();
  ensureInstalled();
  build();
} catch (error) {
  fail(error);
}
