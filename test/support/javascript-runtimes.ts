import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

const { installNpmPackages, npmPackages } = (await import(new URL('../runner/programs.mjs', import.meta.url).href)) as {
  installNpmPackages(root: string): void;
  npmPackages(root: string): string;
};

export type JavaScriptRuntime = 'node20' | 'node22' | 'node24' | 'bun' | 'deno' | 'workerd';

/** Path of the program of a runtime. */
export function javaScriptRuntime(name: JavaScriptRuntime): string {
  installNpmPackages(ROOT);
  const modules = join(npmPackages(ROOT), 'node_modules', name);
  return name === 'deno' ? join(modules, 'deno') : join(modules, 'bin', name.replace(/\d+$/, ''));
}
