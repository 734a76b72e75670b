// What `npm run build` makes of the service; docker/Dockerfile runs it, too.
import { build, ensureInstalled, fail, requireSupportedNode } from './bootstrap.mjs';

try {
  requireSupportedNode();
  ensureInstalled();
  build();
} catch (error) {
  fail(error);
}
