import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { OperatorServices } from '../../apps/ops/src/operator-services.js';
import { withCompileCache } from './processes.js';

const ROOT = join(import.meta.dirname, '..', '..');

interface Reply {
  id: number;
  answer?: unknown;
  error?: string;
}

/** What the operator's commands do, without a start of the command line for each: those have tests of their own. */
export class Operator {
  private calls = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly ready: Promise<unknown>,
  ) {}

  /** @param env of the service */
  static start(env: NodeJS.ProcessEnv): Operator {
    const child = fork(join(import.meta.dirname, 'operator-process.mjs'), {
      cwd: ROOT,
      env: withCompileCache(env),
      execPath: join(ROOT, 'node_modules/node/bin/node'),
      execArgv: [],
    });
    const ended = once(child, 'exit').then(() => {
      throw new Error('the operator could not start');
    });
    const ready = Promise.race([once(child, 'message'), ended]);
    ready.catch(() => undefined); // told to whoever asks for something
    return new Operator(child, ready);
  }

  async call<T>(service: keyof OperatorServices, method: string, argument: unknown): Promise<T> {
    await this.ready;
    const id = (this.calls += 1);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const heard = (reply: Reply) => {
      if (reply.id !== id) return;
      if (reply.error === undefined) resolve(reply.answer as T);
      else reject(new Error(`${service}.${method}: ${reply.error}`));
    };
    this.child.on('message', heard);
    this.child.send({ id, service, method, argument });
    try {
      return await promise;
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
