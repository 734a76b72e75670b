import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);
const OUTPUT_LIMIT = 64 * 2 ** 20;
/** Compiling everything anew takes minutes on a busy machine, and later runs find it in Go's own cache. */
export const GO_BUILD_TIMEOUT_MS = 15 * 60_000;

async function go(directory: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, GOFLAGS: '-buildvcs=false' };
  const cwd = join(import.meta.dirname, directory);
  const { stdout } = await exec('go', args, { cwd, env, maxBuffer: OUTPUT_LIMIT, timeout: GO_BUILD_TIMEOUT_MS });
  return stdout;
}

/**
 * Builds one program of tools/, with the versions of its go.mod and the checksums of its go.sum.
 * @returns its path, outside of the repository
 */
export async function goTool(name: 'chart' | 'image'): Promise<string> {
  const path = join(tmpdir(), 'unified-calendar-go-tools', name);
  await go('tools', 'build', '-o', path, `./${name}`);
  return path;
}

/** Runs a program of tools/ and parses what it prints. */
export async function runTool<T>(path: string, args: string[], input?: unknown): Promise<T> {
  const running = exec(path, args, { maxBuffer: OUTPUT_LIMIT, timeout: 300_000 });
  running.child.stdin?.end(input === undefined ? '' : JSON.stringify(input));
  return JSON.parse((await running).stdout) as T;
}

/** Fetches a module of schemas/, and returns where its files are. */
export async function schemaModule(name: string): Promise<string> {
  const requirements = await readFile(join(import.meta.dirname, 'schemas/go.mod'), 'utf8');
  const version = requirements.split('\n').flatMap((line) => {
    const [module, wanted] = line.trim().split(' ');
    return module === name && wanted !== undefined ? [wanted] : [];
  });
  const { Dir } = JSON.parse(await go('schemas', 'mod', 'download', '-json', `${name}@${version.join()}`)) as {
    Dir: string;
  };
  return Dir;
}
