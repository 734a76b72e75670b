import type { OperatorServices } from '../../apps/ops/src/operator-services.js';
import { ForkedCalls } from './forked-calls.js';

/** What the operator's commands do, without a start of the command line for each: those have tests of their own. */
export class Operator {
  private constructor(private readonly calls: ForkedCalls) {}

  /**
   * @param env of the service
   * @param root where it was built; by default here
   */
  static start(env: NodeJS.ProcessEnv, root?: string): Operator {
    return new Operator(ForkedCalls.start('operator-process.mjs', env, root));
  }

  async call<T>(service: keyof OperatorServices, method: string, argument: unknown): Promise<T> {
    return this.calls.call<T>({ service, method, argument });
  }

  async stop(): Promise<void> {
    await this.calls.stop();
  }
}
