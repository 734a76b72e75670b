import { spawn, type ChildProcess } from 'node:child_process';
import { ROOT } from './entry-points.js';
import { withCompileCache, type RunningProgram } from './processes.js';

/** Ends the program when its stdin ends, which is when the process of Jest ends, however that ends. */
const UNTIL_STDIN_ENDS = `
  "$@" </dev/null & program=$!
  cat >/dev/null
  kill "$program" 2>/dev/null
  for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$program" 2>/dev/null || break; sleep 0.2; done
  kill -KILL "$program" 2>/dev/null`;

/** A program that a process of Jest starts once, for all of its suites. */
interface Started {
  readonly child: ChildProcess;
  readonly written: { stdout: string; stderr: string };
}

const programs = new Map<string, Started>();

function start(command: [string, ...string[]], env: NodeJS.ProcessEnv): Started {
  const child = spawn('sh', ['-c', UNTIL_STDIN_ENDS, 'sh', ...command], {
    cwd: ROOT,
    env: withCompileCache(env),
    detached: true,
    stdio: 'pipe',
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
  // Jest need not wait for it.
  child.unref();
  for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as unknown as { unref(): void }).unref();
  return { child, written };
}

/** A suite's view of a program that all suites of its process share. */
export class KeptProcess {
  private readonly skipped: number;

  private constructor(
    private readonly name: string,
    private readonly started: Started,
  ) {
    this.skipped = started.written.stdout.length;
  }

  /** @param command starts it, unless a suite before this one has */
  static start(name: string, command: [string, ...string[]], env: NodeJS.ProcessEnv): KeptProcess {
    let started = programs.get(name);
    if (started === undefined || started.child.exitCode !== null || started.child.signalCode !== null) {
      started = start(command, env);
      programs.set(name, started);
    }
    return new KeptProcess(name, started);
  }

  /** What it wrote to stdout since this suite came. */
  stdout(): string {
    return this.started.written.stdout.slice(this.skipped);
  }

  /** The first line that it ever wrote; undefined before it has. */
  firstLine(): string | undefined {
    const text = this.started.written.stdout;
    return text.includes('\n') ? text.slice(0, text.indexOf('\n')) : undefined;
  }

  stderr(): string {
    return this.started.written.stderr;
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
}
