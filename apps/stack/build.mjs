// `npm run build`
import { build, buildClient, ensureInstalled, fail, requireSupportedNode } from './bootstrap.mjs';

try {
  requireSupportedNode();
  ensureInstalled();
  build();
  buildClient();
} catch (error) {
  fail(error);
}
