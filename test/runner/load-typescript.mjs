// Runs the TypeScript of test/ as it stands, on the compiled libs.
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { compiled, sourceBehind } from './typescript.mjs';

registerHooks({
  resolve(specifier, context, next) {
    // What suites of several libs share is source only: `#domain/testing/mirrors` is libs/domain/testing/mirrors.ts.
    const shared = /^#([a-z/-]+)\/testing\/([a-z-]+)$/.exec(specifier);
    if (shared) return next(new URL(`../../libs/${shared[1]}/testing/${shared[2]}.ts`, import.meta.url).href, context);
    const isOurs = context.parentURL?.endsWith('.ts');
    return next((isOurs && sourceBehind(specifier, context.parentURL)) || specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
    return { format: 'module', source: compiled(fileURLToPath(url)), shortCircuit: true };
  },
});
