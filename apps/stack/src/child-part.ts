import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { get } from 'node:http';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { PartFailed, type RestartablePart } from './supervisor.js';

export interface ChildPartOptions {
  name: string;
  entryPoint: string;
  nodeArguments: readonly string[];
  preload: string;
  env: NodeJS.ProcessEnv;
  /** undefined when the start needs no wait. */
  readinessUrl?: string;
  /** Time from SIGTERM to SIGKILL. */
  stopWithinMs: number;
  onStarted(pid: number): void;
  onLine?: (line: string) => void;
  /** The child receives a reply once the promise resolves. */
  onMessage?: (message: unknown) => Promise<void>;
}

const RESTART_STOPS_WITHIN_MS = 1_000;
const WAIT_FOR_START = new URL('./wait-for-start.js', import.meta.url).href;

export class ChildPart implements RestartablePart {
  private child: ChildProcess | undefined;
  private prepared: ChildProcess | undefined;
  private stopping = false;

  constructor(private readonly options: ChildPartOptions) {}

  get name(): string {
    return this.options.name;
  }

  get pid(): number | undefined {
    return this.child !== undefined && isAlive(this.child) ? this.child.pid : undefined;
  }

  async start(signal: AbortSignal): Promise<void> {
    const { name, readinessUrl } = this.options;
    // After a failed start the previous child may still hold the port.
    if (this.child !== undefined && isAlive(this.child)) await this.end(this.child, 0);
    signal.throwIfAborted();
    const prepared = this.takePrepared();
    const child = prepared ?? this.spawn();
    this.child = child;
    if (prepared === undefined) await once(child, 'spawn');
    if (child.pid !== undefined) this.options.onStarted(child.pid);
    if (readinessUrl === undefined) return;
    while (isAlive(child)) {
      if ((await httpStatus(readinessUrl, 2_000)) === 200) return;
      if (signal.aborted) throw new PartFailed(`${name} runs, but does not answer on ${readinessUrl}`);
      await delay(50);
    }
    throw new PartFailed(`${name} ended with ${child.signalCode ?? `exit code ${child.exitCode}`} while starting`);
  }

  async restart(signal: AbortSignal): Promise<void> {
    if (this.child !== undefined && isAlive(this.child)) await this.end(this.child, RESTART_STOPS_WITHIN_MS);
    await this.start(signal);
  }

  /** Loads packages in advance, in a process for the next start: loading takes most of the start time. */
  prepare(): void {
    if (this.stopping || (this.prepared !== undefined && isAlive(this.prepared))) return;
    this.prepared = this.spawn(WAIT_FOR_START);
    this.prepared.on('error', () => undefined);
  }

  async died(): Promise<void> {
    const { child } = this;
    if (child !== undefined && isAlive(child)) await once(child, 'exit');
    // A child that stops on request has not died.
    if (this.stopping) await new Promise(() => undefined);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    if (this.prepared !== undefined && isAlive(this.prepared)) await this.end(this.prepared, 0);
    if (this.child !== undefined && isAlive(this.child)) await this.end(this.child, this.options.stopWithinMs, true);
  }

  kill(): void {
    this.child?.kill('SIGKILL');
  }

  private spawn(...preloads: string[]): ChildProcess {
    const { name, entryPoint, nodeArguments, preload, env, onLine, onMessage } = this.options;
    const imports = [preload, ...preloads].flatMap((module) => ['--import', module]);
    const child = spawn(process.execPath, [...nodeArguments, '--enable-source-maps', ...imports, entryPoint], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C goes to the whole process group. A group of its own lets the stack stop the children once and in order.
      detached: true,
    });
    if (child.stdout !== null) passLinesOn(child.stdout, name, process.stdout, onLine);
    if (child.stderr !== null) passLinesOn(child.stderr, name, process.stderr);
    child.on('message', (message) => void onMessage?.(message).then(() => child.connected && child.send('done')));
    return child;
  }

  private takePrepared(): ChildProcess | undefined {
    const child = this.prepared;
    this.prepared = undefined;
    if (child === undefined || !isAlive(child)) return undefined;
    child.send('start');
    return child;
  }

  private async end(child: ChildProcess, withinMs: number, reportsKill = false): Promise<void> {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const force = setTimeout(() => {
      if (reportsKill) process.stderr.write(`${this.name} did not end within ${withinMs} ms and is killed.\n`);
      child.kill('SIGKILL');
    }, withinMs);
    await exited;
    clearTimeout(force);
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** Returns the status of a response; null when none arrives within `timeoutMs`. */
export function httpStatus(url: string, timeoutMs: number): Promise<number | null> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      response.resume();
      response.on('error', () => undefined); // only the status matters
      resolve(response.statusCode ?? null);
    });
    request.on('error', () => resolve(null));
  });
}

/**
 * Forwards the output of a child. Lines that are not JSON get the name as a prefix.
 * @param heard receives each line as well
 */
export function passLinesOn(from: Readable, name: string, to: Writable, heard?: (line: string) => void): void {
  createInterface({ input: from, crlfDelay: Infinity }).on('line', (line) => {
    heard?.(line);
    to.write(line.startsWith('{') ? `${line}\n` : `[${name}] ${line}\n`);
  });
}
