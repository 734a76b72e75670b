import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './entry-points.js';
import { withCompileCache, type RunningProgram } from './processes.js';

/** Test files of one worker of Jest have module registries of their own: what they share is on disk, by its pid and start. */
const DIRECTORY = join(tmpdir(), `unified-calendar-kept-${process.pid}-${Math.round(performance.timeOrigin)}`);

/** Ends the program when its stdin ends, which is when the worker of Jest ends, however that ends. */
const UNTIL_STDIN_ENDS = `
  files="$1"; shift
  "$@" </dev/null & program=$!
  cat >/dev/null
  kill "$program" 2>/dev/null
  for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$program" 2>/dev/null || break; sleep 0.2; done
  kill -KILL "$program" 2>/dev/null
  rm -f "$files".pid "$files".out "$files".err
  rmdir "$(dirname "$files")" 2>/dev/null`;

/** A process that a worker of Jest starts once, for all of its test files. */
export class KeptProcess {
  private readonly skipped: number;

  private constructor(
    private readonly name: string,
    readonly isNew: boolean,
  ) {
    this.skipped = isNew ? 0 : this.written('out').length;
  }

  /** @param command starts it, unless a test file before this one has */
  static start(name: string, command: [string, ...string[]], env: NodeJS.ProcessEnv): KeptProcess {
    mkdirSync(DIRECTORY, { recursive: true });
    const file = join(DIRECTORY, `${name}.pid`);
    if (isAlive(pidIn(file))) return new KeptProcess(name, false);
    const files = join(DIRECTORY, name);
    const outputs = ['out', 'err'].map((stream) => openSync(`${files}.${stream}`, 'a'));
    const supervisor = spawn('sh', ['-c', UNTIL_STDIN_ENDS, 'sh', files, ...command], {
      cwd: ROOT,
      env: withCompileCache(env),
      detached: true,
      stdio: ['pipe', ...outputs],
    });
    outputs.forEach(closeSync);
    supervisor.unref();
    (supervisor.stdin as unknown as { unref(): void }).unref();
    writeFileSync(file, String(supervisor.pid));
    return new KeptProcess(name, true);
  }

  /** What it wrote to stdout since this test file came. */
  stdout(): string {
    return this.written('out').slice(this.skipped);
  }

  /** The first line that it ever wrote; undefined before it has. */
  firstLine(): string | undefined {
    const text = this.written('out');
    return text.includes('\n') ? text.slice(0, text.indexOf('\n')) : undefined;
  }

  stderr(): string {
    return this.written('err');
  }

  /** As suites know a program that they started; what only its owner may do fails. */
  program(): RunningProgram {
    const own = (): never => {
      throw new Error(`${this.name} is shared with other suites: start one for this suite`);
    };
    return {
      stdout: () => this.stdout(),
      stderr: () => this.stderr(),
      // It goes on for the next suite.
      stop: () => Promise.resolve(0),
      get pid() {
        return own();
      },
      get child() {
        return own();
      },
      get exited() {
        return own();
      },
    };
  }

  private written(stream: 'out' | 'err'): string {
    return readFileSync(join(DIRECTORY, `${this.name}.${stream}`), 'utf8');
  }
}

/** What the first test file of a worker of Jest made, as JSON, for all of them. */
export async function sharedValue<T>(name: string, make: () => Promise<T>): Promise<T> {
  const file = join(DIRECTORY, `${name}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as T;
  const value = await make();
  writeFileSync(file, JSON.stringify(value));
  return value;
}

function pidIn(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function isAlive(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
