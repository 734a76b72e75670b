import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { withCompileCache } from './processes.js';
import type { OpsAnswer } from './stack.js';

const ROOT = join(import.meta.dirname, '..', '..');

/** `ops …` without a start of the process for each command: starting it has tests of its own. */
export class CommandLine {
  private commands = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly ready: Promise<unknown>,
  ) {}

  static start(): CommandLine {
    const { PATH, HOME } = process.env;
    const child = fork(join(import.meta.dirname, 'command-line-process.mjs'), {
      cwd: ROOT,
      env: withCompileCache({ PATH, HOME }),
      execPath: join(ROOT, 'node_modules/node/bin/node'),
      execArgv: [],
    });
    return new CommandLine(child, once(child, 'message'));
  }

  async run(env: NodeJS.ProcessEnv, ...args: string[]): Promise<OpsAnswer> {
    await this.ready;
    const id = (this.commands += 1);
    const { promise, resolve, reject } = Promise.withResolvers<Pick<OpsAnswer, 'exitCode' | 'stdout' | 'stderr'>>();
    const heard = (answer: { id: number } & Pick<OpsAnswer, 'exitCode' | 'stdout' | 'stderr'>) => {
      if (answer.id === id) resolve(answer);
    };
    const ended = () => reject(new Error('the command line ended'));
    this.child.on('message', heard);
    this.child.once('exit', ended);
    this.child.send({ id, args, env });
    try {
      const { exitCode, stdout, stderr } = await promise;
      return { exitCode, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> };
    } finally {
      this.child.off('message', heard);
      this.child.off('exit', ended);
    }
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill();
    await exited;
  }
}
