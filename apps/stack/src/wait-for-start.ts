import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** Preloaded into a child (`node --import`). Loads the packages, which do not change during development. */
const started = once(process, 'message');
// Only the channel keeps this process alive.
process.channel?.ref();
const { dependencies } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
  dependencies: Record<string, string>;
};
// The importing module reports a package that fails to load.
await Promise.allSettled(Object.keys(dependencies).map((name) => import(name)));
await started;
process.channel?.unref();
