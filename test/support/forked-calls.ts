import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { withCompileCache } from './processes.js';

const ROOT = join(import.meta.dirname, '..', '..');

interface Reply {
  id: number;
  answer?: unknown;
  error?: string;
}

/**
 * A process that answers calls: started once, for any number of them. It sends `ready`, then `{ id, answer }` or
 * `{ id, error }` to each `{ id, ...call }`.
 */
export class ForkedCalls {
  private calls = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly ready: Promise<unknown>,
    /** Never resolves. */
    private readonly ended: Promise<never>,
  ) {}

  /**
   * @param program file beside this one
   * @param root where it is started; by default where all of this is
   */
  static start(program: string, env: NodeJS.ProcessEnv, root = ROOT): ForkedCalls {
    const child = fork(join(import.meta.dirname, program), {
      cwd: root,
      env: withCompileCache(env),
      execPath: join(ROOT, 'node_modules/node/bin/node'),
      execArgv: [],
    });
    const ended = once(child, 'exit').then(() => {
      throw new Error(`${program} ended`);
    });
    ended.catch(() => undefined); // told to whoever asks for something
    const ready = Promise.race([once(child, 'message'), ended]);
    ready.catch(() => undefined);
    return new ForkedCalls(child, ready, ended);
  }

  /** @throws Error with what the process says went wrong */
  async call<T>(call: object): Promise<T> {
    await this.ready;
    const id = (this.calls += 1);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const heard = (reply: Reply) => {
      if (reply.id !== id) return;
      if (reply.error === undefined) resolve(reply.answer as T);
      else reject(new Error(reply.error));
    };
    this.child.on('message', heard);
    this.child.send({ id, ...call });
    try {
      return await Promise.race([promise, this.ended]);
    } finally {
      this.child.off('message', heard);
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    if (this.child.connected) this.child.disconnect();
    await exited;
  }
}
