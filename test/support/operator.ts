import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { OperatorServices } from '../../apps/ops/src/operator-services.js';
import { Calls } from './calls.js';
import { entryPoint, NODE, ROOT } from './entry-points.js';
import { KeptProcess } from './kept-process.js';
import { runProgram, type RunningProgram } from './processes.js';

const SCRIPT = join(import.meta.dirname, 'operator-process.mjs');

/** What the operator's commands do, without a start of the command line for each: those have tests of their own. */
export class Operator {
  private constructor(
    private readonly env: NodeJS.ProcessEnv,
    private readonly calls: Calls,
    private readonly own: RunningProgram | undefined,
  ) {}

  /**
   * @param env of the service
   * @param root where it was built, which then has a process of its own; by default here
   */
  static start(env: NodeJS.ProcessEnv, root = ROOT): Operator {
    const { PATH, HOME } = process.env;
    const settings = { PATH, HOME, OPERATOR_SERVICES: pathToFileURL(entryPoint('operator-services', root)).href };
    if (root === ROOT) {
      const kept = KeptProcess.start('operator', [NODE, SCRIPT], settings);
      return new Operator(env, new Calls('the operator', () => kept.firstLine(), kept), undefined);
    }
    const own = runProgram(NODE, [SCRIPT], { cwd: root, env: settings });
    const calls = new Calls('the operator of another build', () => own.stdout().split('\n', 2)[0], own);
    return new Operator(env, calls, own);
  }

  async call<T>(service: keyof OperatorServices, method: string, argument: unknown): Promise<T> {
    const { ENCRYPTION_KEYS: encryptionKeys } = this.env;
    return this.ask<T>('POST', { encryptionKeys, service, method, argument });
  }

  async stop(): Promise<void> {
    await this.ask('DELETE', {});
    await this.own?.stop();
  }

  private ask<T>(method: 'POST' | 'DELETE', call: object): Promise<T> {
    return this.calls.call<T>(method, { databaseUrl: this.env['DATABASE_URL'], ...call });
  }
}
