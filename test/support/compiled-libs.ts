import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transpiled } from './transpiled.js';

const ROOT = join(import.meta.dirname, '..', '..');

export interface CompiledLibs {
  /** Directory in which child processes can import `#domain`, `#persistence`, … */
  directory: string;
  remove(): Promise<void>;
}

/**
 * The named libs, or folders (`apps/stack/src/postgres`), as JavaScript, with the libs that they import, from the sources as they are now: for tests that need real
 * processes to kill, and must not depend on a build.
 */
export async function compileLibs(names: string[]): Promise<CompiledLibs> {
  const directory = await mkdtemp(join(tmpdir(), 'unified-calendar-libs-'));
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  await writeFile(join(directory, 'package.json'), await readFile(join(ROOT, 'package.json')));
  const libs = new Set(names);
  // What is added on the way is visited, too.
  for (const lib of libs) for (const imported of await compileLib(lib, directory)) libs.add(imported);
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

/** @returns names of the libs that it imports */
async function compileLib(lib: string, directory: string): Promise<string[]> {
  const folder = lib.includes('/') ? lib : join('libs', lib, 'src');
  const source = join(ROOT, folder);
  const entries = await readdir(source, { recursive: true });
  const files = entries.filter((file) => /(?<!\.spec)\.ts$/.test(file));
  const compiled = await Promise.all(
    files.map(async (file) => {
      const target = join(directory, 'dist', folder, file.replace(/\.ts$/, '.js'));
      const path = join(source, file);
      const code = transpiled(await readFile(path, 'utf8'), path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, code);
      return code;
    }),
  );
  for (const file of entries.filter((name) => name.endsWith('.json'))) {
    await copyFile(join(source, file), join(directory, 'dist', folder, file));
  }
  return compiled.flatMap((code) => [...code.matchAll(/from ['"]#([\w-]+)/g)].map(([, name]) => name!));
}
