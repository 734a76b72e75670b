import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/**
 * Loaded before a child's own code (`node --import`): packages, which do not change while somebody works on the service,
 * are there when its code is loaded.
 */
const started = once(process, 'message');
// Nothing else keeps this process alive.
process.channel?.ref();
const { dependencies } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
  dependencies: Record<string, string>;
};
// One that cannot be loaded is missed by whoever needs it.
await Promise.allSettled(Object.keys(dependencies).map((name) => import(name)));
await started;
process.channel?.unref();
