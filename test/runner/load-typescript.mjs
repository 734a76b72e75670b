// Runs the TypeScript of test/ as it stands: found behind the `.js` of its specifiers, compiled as Jest compiles it.
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

registerHooks({
  resolve(specifier, context, next) {
    // What suites of several libs share is source only: `#domain/testing/mirrors` is libs/domain/testing/mirrors.ts.
    const shared = /^#([a-z/-]+)\/testing\/([a-z-]+)$/.exec(specifier);
    if (shared) return next(new URL(`../../libs/${shared[1]}/testing/${shared[2]}.ts`, import.meta.url).href, context);
    if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
      if (existsSync(fileURLToPath(source))) return next(source.href, context);
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
    const filename = fileURLToPath(url);
    const { code } = transformSync(readFileSync(filename, 'utf8'), {
      filename,
      sourceMaps: 'inline',
      jsc: { target: 'es2023', parser: { syntax: 'typescript', decorators: true } },
      module: { type: 'es6' },
    });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
