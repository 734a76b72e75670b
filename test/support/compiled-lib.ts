import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transformFile } from '@swc/core';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Compiles one lib that imports no other into `directory`, for tests that must run it in a process of their own (what
 * Node reads from the environment at its start cannot be changed inside of a test).
 * @returns path of the compiled `index.js`
 */
export async function compiledLib(name: string, directory: string): Promise<string> {
  const source = join(ROOT, 'libs', name, 'src');
  const target = join(directory, name);
  await mkdir(target, { recursive: true });
  const files = (await readdir(source)).filter((file) => /(?<!\.spec)\.ts$/.test(file));
  await Promise.all(
    files.map(async (file) => {
      const { code } = await transformFile(join(source, file), {
        jsc: { target: 'es2023', parser: { syntax: 'typescript', decorators: true } },
        module: { type: 'es6' },
      });
      await writeFile(join(target, file.replace(/\.ts$/, '.js')), code);
    }),
  );
  await writeFile(join(directory, 'package.json'), '{"type":"module"}');
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'), 'dir');
  return join(target, 'index.js');
}
