// 35 s: the compiler checks everything once after a build, and restarts wait for it on two cores.
import { readFileSync } from 'node:fs';
import { cp, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isAlive, processTree } from '../../support/process-tree.js';
import { eventually, runProgram, temporaryDirectory, type RunningProgram } from '../../support/processes.js';
import { prepareStack, type RunningStackProgram, type TestStack } from '../../support/stack.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const NODE = join(ROOT, 'node_modules/node/bin/node');
/** It takes three seconds on a machine that does nothing else. */
const NEW_CODE_MS = 15_000;

const API = 'apps/api/src/openapi/docs-page.ts';
const WORKER = 'apps/worker/src/start.ts';
const LIB = 'libs/domain/src/system/errors.ts';

/** Sources that may be changed, with what was built of them. */
async function copyRepository(directory: string): Promise<void> {
  const paths = ['apps', 'libs', 'dist/apps', 'dist/libs', 'package.json', 'package-lock.json', 'nest-cli.json'];
  for (const path of [...paths, 'tsconfig.json']) {
    await cp(join(ROOT, path), join(directory, path), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'), 'dir');
  // What the compiler knows from the build. It names packages by where they really are.
  const known = await readFile(join(ROOT, 'dist/tsconfig.tsbuildinfo'), 'utf8');
  const packages = relative(join(directory, 'dist'), join(ROOT, 'node_modules'));
  const moved = known.replaceAll('"../node_modules/', `"${packages}/`);
  await writeFile(join(directory, 'dist/tsconfig.tsbuildinfo'), moved);
  await writeFile(join(directory, 'dist/.build-stamp'), String(Date.now()));
}

describe('npm run dev', () => {
  let copy: { path: string; remove(): Promise<void> };
  let stack: TestStack;
  let program: RunningStackProgram;

  const run = (env: NodeJS.ProcessEnv, ...args: string[]): RunningProgram =>
    runProgram(NODE, [join(copy.path, 'apps/stack/start.mjs'), ...args], { cwd: copy.path, env, detached: true });
  const said = (): string => program.stdout() + program.stderr();
  const docs = async (): Promise<string> => (await fetch(`${stack.baseUrl}/api/docs`)).text();
  const rejection = async (): Promise<string> => (await fetch(`${stack.baseUrl}/api/v1/endUserAccounts`)).text();

  /** Process ids by what they are. */
  function parts(): Record<string, number> {
    const { children } = JSON.parse(readFileSync(join(stack.dataDirectory, 'running.json'), 'utf8'));
    return Object.fromEntries(
      children.map(({ pid }: { pid: number }) => {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return [/apps\/(\w+)\/src\/main\.js/.exec(command)?.[1] ?? 'compiler', pid];
      }),
    );
  }

  async function save(path: string, from: string, to: string): Promise<void> {
    const text = await readFile(join(copy.path, path), 'utf8');
    expect(text).toContain(from);
    await writeFile(join(copy.path, path), text.replace(from, to));
  }

  /** Waits for what only new code does, and says how long after the last save that was. */
  async function newCode(path: string, isNew: () => Promise<boolean> | boolean): Promise<void> {
    const savedAtMs = performance.now();
    await eventually('the new code', async () => (await isNew()) || undefined, { timeoutMs: NEW_CODE_MS, everyMs: 20 });
    process.stdout.write(`${path}: new code after ${((performance.now() - savedAtMs) / 1_000).toFixed(1)} s\n`);
  }

  beforeAll(async () => {
    copy = await temporaryDirectory('dev');
    await copyRepository(copy.path);
    stack = await prepareStack({ LOG_LEVEL: 'info' }, (env) => run(env, '--watch'));
    program = await stack.start();
    await eventually('it watches', () => said().includes('Watching apps/ and libs/') || undefined);
  });
  afterAll(async () => {
    await stack.remove();
    await copy.remove();
  });

  it('restarts the api alone when its code changes', async () => {
    const before = parts();
    await save(API, '<title>', '<title>New: ');
    await newCode(API, async () => (await docs()).includes('<title>New: '));
    await eventually('it says so', () => /^restarted api \(\d+\.\d s\)$/m.test(said()) || undefined);
    expect(parts()).toEqual({ ...before, api: expect.any(Number) });
    expect(parts()['api']).not.toBe(before['api']);
  });

  it('restarts the worker alone when its code changes', async () => {
    const before = parts();
    await save(WORKER, 'await runService(', "process.stdout.write('a new worker\\n');\n  await runService(");
    await newCode(WORKER, () => said().includes('a new worker'));
    await eventually('it says so', () => /^restarted worker \(/m.test(said()) || undefined);
    expect(parts()).toEqual({ ...before, worker: expect.any(Number) });
  });

  it('restarts what uses a lib when that changes', async () => {
    const before = parts();
    await save(LIB, 'super(message,', 'super(`New: ${message}`,');
    await newCode(LIB, async () => (await rejection()).includes('New: '));
    await eventually('it says so', () => /^restarted api, worker \(/m.test(said()) || undefined);
    const { sandbox, compiler } = before;
    expect(parts()).toEqual({ sandbox, compiler, api: expect.any(Number), worker: expect.any(Number) });
  });

  it('says where an error is, leaves alone what runs, and goes on with the next good save', async () => {
    const before = parts();
    await save(API, '<title>New: ', '<title>${missing} ');
    await eventually(
      'it says where',
      () => /apps\/api\/src\/openapi\/docs-page\.ts\(\d+,\d+\): error TS2304/.test(said()) || undefined,
    );
    await save(LIB, 'super(`New: ', 'super(`Newer: ');
    await eventually('it says so again', () => said().split('error TS2304').length > 2 || undefined);
    expect(parts()).toEqual(before);
    expect([await docs(), await rejection()]).toEqual([
      expect.stringContaining('<title>New: '),
      expect.stringContaining('New: '),
    ]);

    await save(API, '<title>${missing} ', '<title>Newer: ');
    await newCode(API, async () => (await docs()).includes('<title>Newer: '));
    expect(await rejection()).toContain('Newer: ');
  });

  it('waits for other code when the new code ends at once', async () => {
    await save(
      API,
      'export const DOCS_PAGE',
      "if (process.uptime() > 0) throw new Error('on purpose');\nexport const DOCS_PAGE",
    );
    await eventually('it says so', () => said().includes('api ended with exit code 1 while starting') || undefined);
    await save(API, "if (process.uptime() > 0) throw new Error('on purpose');\n", '');
    await newCode(API, async () => (await docs()).includes('<title>Newer: '));
  });

  it('takes none of that for a crash', () => {
    expect(said()).not.toMatch(/died|could not be started|is answering again/);
  });

  it('leaves nothing to build for npm start, which is refused beside it', async () => {
    const savedAtMs = (await stat(join(copy.path, API))).mtimeMs;
    const stamp = join(copy.path, 'dist/.build-stamp');
    await eventually('the stamp', async () => Number(await readFile(stamp, 'utf8')) >= savedAtMs || undefined);
    const second = run(stack.env);
    expect(await second.exited).toBe(1);
    expect(second.stderr()).toContain('already running');
    expect(second.stderr()).not.toContain('Building');
  });

  it('ends with all that it has started at a Ctrl-C', async () => {
    const pids = processTree(program.pid);
    process.kill(-program.pid, 'SIGINT');
    expect(await program.exited).toBe(0);
    await eventually('all have ended', () => (pids.some(isAlive) ? undefined : true), { timeoutMs: 5_000 });
  });
});
