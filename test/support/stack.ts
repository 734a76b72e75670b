import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort, runProgram, temporaryDirectory, type RunningProgram } from './processes.js';

const ROOT = join(import.meta.dirname, '..', '..');
const NODE = join(ROOT, 'node_modules/node/bin/node');

/** The `npm start` of a test: its own port and data. */
export interface TestStack {
  readonly baseUrl: string;
  readonly port: number;
  readonly dataDirectory: string;
  readonly env: NodeJS.ProcessEnv;
  /** Starts it, again if need be, and waits for its welcome. */
  start(): Promise<RunningStackProgram>;
  /** Ends what still runs, and removes the data. */
  remove(): Promise<void>;
}

export interface RunningStackProgram extends RunningProgram {
  /** Milliseconds from the command to the first request that was answered. */
  readonly firstResponseAfterMs: number;
  /** The key that the welcome shows; null when it shows none. */
  readonly apiKey: string | null;
}

/** What a child of a test may inherit: no database, no keys, no settings of whoever runs the tests. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, TMPDIR } = process.env;
  return { PATH, HOME, LANG, TMPDIR };
}

/** @param run what to start instead of `npm start` */
export async function prepareStack(settings: NodeJS.ProcessEnv = {}, run = startStack): Promise<TestStack> {
  const directory = await temporaryDirectory('stack');
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = { ...cleanEnvironment(), PORT: String(port), DATA_DIR: directory.path, LOG_LEVEL: 'warn', ...settings };
  const programs: RunningProgram[] = [];
  return {
    baseUrl,
    port,
    dataDirectory: directory.path,
    env,
    start: () =>
      startAlone(async () => {
        const startedAtMs = performance.now();
        const program = run(env);
        programs.push(program);
        let ended = false;
        program.exited.then(
          () => (ended = true),
          () => (ended = true),
        );
        await eventually(
          'npm start answers',
          async () => {
            if (ended) return true;
            return (await fetch(`${baseUrl}/api/v1/endUserAccounts`)).status === 401 || undefined;
          },
          { timeoutMs: 90_000, everyMs: 20 },
        );
        const firstResponseAfterMs = performance.now() - startedAtMs;
        await eventually('the welcome', () => ended || program.stdout().includes('Stop it with Ctrl-C') || undefined);
        if (ended) throw new Error(`npm start ended:\n${program.stdout()}${program.stderr()}`);
        const apiKey = /API key +(uck_\S+)/.exec(program.stdout())?.[1] ?? null;
        return { ...program, firstResponseAfterMs, apiKey };
      }),
    async remove() {
      await Promise.all(programs.map((program) => program.stop(50_000)));
      await directory.remove();
    },
  };
}

/** Two starts at once would find the same ports of the sandbox free. */
async function startAlone<T>(start: () => Promise<T>): Promise<T> {
  const lock = join(tmpdir(), 'unified-calendar-npm-start.lock');
  await eventually(
    'no other npm start is under way',
    async () => {
      try {
        await writeFile(lock, String(process.pid), { flag: 'wx' });
        return true;
      } catch {
        const owner = Number(await readFile(lock, 'utf8'));
        if (owner > 0 && !existsSync(`/proc/${owner}`)) await rm(lock, { force: true });
        return undefined;
      }
    },
    { timeoutMs: 180_000 },
  );
  try {
    // Another suite may take a port between the check of `npm start` and its use.
    return await start().catch((error: unknown) => {
      if (!String(error).includes('EADDRINUSE')) throw error;
      return start();
    });
  } finally {
    await rm(lock, { force: true });
  }
}

/** What `npm start` runs, in a process group of its own, as a terminal would give it. */
export function startStack(env: NodeJS.ProcessEnv): RunningProgram {
  return runProgram(NODE, [join(ROOT, 'apps/stack/start.mjs')], { cwd: ROOT, env, detached: true });
}

export interface OpsResult {
  exitCode: number | NodeJS.Signals;
  stdout: string;
  stderr: string;
  /** stdout, parsed. @throws SyntaxError when anything else got into it */
  json(): Record<string, unknown>;
}

/** `npm run -s ops -- …` */
export async function ops(env: NodeJS.ProcessEnv, ...args: string[]): Promise<OpsResult> {
  const program = runProgram(NODE, [join(ROOT, 'apps/stack/ops.mjs'), ...args], { cwd: ROOT, env });
  const exitCode = await program.exited;
  const [stdout, stderr] = [program.stdout(), program.stderr()];
  return { exitCode, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> };
}
