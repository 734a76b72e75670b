import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { httpStatus } from './http-status.js';
import { passLinesOn } from './log-lines.js';
import { PartFailed, type Part } from './part.js';

export interface ChildPartOptions {
  name: string;
  /** Path of the compiled entry point. */
  entryPoint: string;
  /** For Node itself. */
  nodeArguments: readonly string[];
  /** Module that ends the child when this process is gone. */
  preload: string;
  env: NodeJS.ProcessEnv;
  /** Answers 200 when the child is ready. */
  readinessUrl: string;
  /** How long it may take to end after SIGTERM before it is killed. */
  stopWithinMs: number;
  onStarted(pid: number): void;
  /** A line of its log. */
  onLine?: (line: string) => void;
}

/** A part that is a Node process of its own, with an HTTP address to ask whether it is ready. */
export class ChildPart implements Part {
  private child: ChildProcess | undefined;
  private stopping = false;

  constructor(private readonly options: ChildPartOptions) {}

  get name(): string {
    return this.options.name;
  }

  get pid(): number | undefined {
    return this.child !== undefined && isAlive(this.child) ? this.child.pid : undefined;
  }

  async start(signal: AbortSignal): Promise<void> {
    const { name, entryPoint, nodeArguments, preload, env, readinessUrl } = this.options;
    // After a failed start the last one may still be there, and hold the port.
    if (this.child !== undefined && isAlive(this.child)) await this.end(this.child, 0);
    signal.throwIfAborted();
    const args = [...nodeArguments, '--enable-source-maps', '--import', preload, entryPoint];
    const child = spawn(process.execPath, args, {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C goes to a whole process group. The children are stopped by us, once, and in order.
      detached: true,
    });
    this.child = child;
    if (child.stdout !== null) passLinesOn(child.stdout, name, process.stdout, this.options.onLine);
    if (child.stderr !== null) passLinesOn(child.stderr, name, process.stderr);
    await once(child, 'spawn');
    if (child.pid !== undefined) this.options.onStarted(child.pid);
    while (isAlive(child)) {
      if ((await httpStatus(readinessUrl, 2_000)) === 200) return;
      if (signal.aborted) throw new PartFailed(`${name} runs, but does not answer on ${readinessUrl}`);
      await delay(50);
    }
    throw new PartFailed(`${name} ended with ${child.signalCode ?? `exit code ${child.exitCode}`} while starting`);
  }

  async died(): Promise<void> {
    const { child } = this;
    if (child !== undefined && isAlive(child)) await once(child, 'exit');
    // One that was asked to end did not die.
    if (this.stopping) await new Promise(() => undefined);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    if (this.child !== undefined && isAlive(this.child)) await this.end(this.child, this.options.stopWithinMs);
  }

  kill(): void {
    this.child?.kill('SIGKILL');
  }

  private async end(child: ChildProcess, withinMs: number): Promise<void> {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const force = setTimeout(() => {
      if (withinMs > 0) process.stderr.write(`${this.name} did not end within ${withinMs} ms and is killed.\n`);
      child.kill('SIGKILL');
    }, withinMs);
    await exited;
    clearTimeout(force);
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
