// `npm run build`
import { build, ensureInstalled, fail, requireSupportedNode } from './bootstrap.mjs';

try {
  requireSupportedNode();
  ensureInstalled();
  build();
} catch (error) {
  fail(error);
}
