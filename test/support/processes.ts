import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Below 32768, from where on Linux gives ports to whoever asks for any: what a server is to get a few seconds later nobody
 * else comes by meanwhile. Each worker of jest has a part of its own; of several runs on one machine all but one say in
 * TEST_PORTS_AFTER how many parts others have.
 */
const PORTS = 1_300;
const PART = Number(process.env['JEST_WORKER_ID'] ?? 0) + Number(process.env['TEST_PORTS_AFTER'] ?? 0);
const FIRST_PORT = 11_000 + PORTS * (PART % 16);

let lastPort = Math.floor(Math.random() * PORTS);

/** A port of 127.0.0.1 that nothing listens on, and that nobody else is given. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries += 1) {
    lastPort = (lastPort + 1) % PORTS;
    const port = FIRST_PORT + lastPort;
    const probe = createServer();
    probe.listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
  throw new Error(`all ports from ${FIRST_PORT} to ${FIRST_PORT + PORTS} are taken`);
}

/** A fresh directory below the system's temporary one, and how to remove it. */
export async function temporaryDirectory(purpose: string): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), `unified-calendar-${purpose}-`));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/**
 * Asks `probe` every `everyMs` until it answers something other than undefined; its exceptions mean "not yet".
 * @throws Error naming `what` and the last exception after `timeoutMs`
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  { timeoutMs = 45_000, everyMs = 50 } = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let lastError: unknown;
  do {
    try {
      const response = await probe();
      if (response !== undefined) return response;
    } catch (error) {
      lastError = error;
    }
    await delay(everyMs);
  } while (performance.now() < deadline);
  throw new Error(`${what}: not within ${timeoutMs} ms`, { cause: lastError });
}

/** A program under test or that a test needs, with everything it wrote. */
export interface RunningProgram {
  readonly pid: number;
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Exit code, or the signal's name when one ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
  /** SIGTERM, and SIGKILL when it is still there after `graceMs`. Safe to call twice. */
  stop(graceMs?: number): Promise<number | NodeJS.Signals>;
}

const COMPILE_CACHE = join(tmpdir(), 'unified-calendar-compile-cache');

/** Programs of Node find in the cache what an earlier start of them compiled, and say which branches ran where the run asks for it. */
export function withCompileCache(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const coverage = process.env['NODE_V8_COVERAGE'];
  return { NODE_COMPILE_CACHE: COMPILE_CACHE, ...(coverage && { NODE_V8_COVERAGE: coverage }), ...env };
}

export function runProgram(
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; detached?: boolean } = {},
): RunningProgram {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: withCompileCache(options.env ?? process.env),
    detached: options.detached ?? false,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const exited = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? -1));
  });
  if (pid === undefined) {
    exited.catch(() => undefined); // the message below says it better
    throw new Error(`cannot start ${command}`);
  }
  return {
    pid,
    child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    exited,
    async stop(graceMs = 10_000) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const force = setTimeout(() => child.kill('SIGKILL'), graceMs);
      try {
        return await exited;
      } finally {
        clearTimeout(force);
      }
    },
  };
}

/**
 * Runs a program that ends by itself, with PATH and HOME and what `env` adds.
 * @returns what it wrote to stdout @throws Error with all that it wrote, when it fails
 */
export async function outputOf(
  command: string,
  args: string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { PATH, HOME } = process.env;
  const program = runProgram(command, args, { cwd, env: { PATH, HOME, ...env } });
  const exitCode = await program.exited;
  if (exitCode === 0) return program.stdout();
  throw new Error(`${command} ${args.join(' ')} ended with ${exitCode}:\n${program.stdout()}\n${program.stderr()}`);
}

/**
 * Starts a server and waits until `isReady` says so.
 * @throws Error with what the server wrote, when it ends or is not ready in time
 */
export async function startServer(
  name: string,
  start: () => RunningProgram,
  isReady: () => Promise<boolean>,
  timeoutMs = 20_000,
): Promise<RunningProgram> {
  const program = start();
  let ended: number | NodeJS.Signals | undefined;
  program.exited.then(
    (result) => (ended = result),
    () => (ended = -1),
  );
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline && ended === undefined) {
    if (await isReady().catch(() => false)) return program;
    await delay(50);
  }
  const reason = ended === undefined ? `not ready within ${timeoutMs} ms` : `ended with ${ended}`;
  await program.stop(1_000);
  throw new Error(`${name} ${reason}\n${program.stdout()}${program.stderr()}`);
}
