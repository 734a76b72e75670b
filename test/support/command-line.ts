import { pathToFileURL } from 'node:url';
import { entryPoint } from './entry-points.js';
import { ForkedCalls } from './forked-calls.js';
import type { OpsAnswer } from './stack.js';

/** `ops …` without a start of the process for each command: starting it has tests of its own. */
export class CommandLine {
  private constructor(private readonly calls: ForkedCalls) {}

  static start(): CommandLine {
    const { PATH, HOME } = process.env;
    const OPS_RUN = pathToFileURL(entryPoint('ops-run')).href;
    return new CommandLine(ForkedCalls.start('command-line-process.mjs', { PATH, HOME, OPS_RUN }));
  }

  async run(env: NodeJS.ProcessEnv, ...args: string[]): Promise<OpsAnswer> {
    const { exitCode, stdout, stderr } = await this.calls.call<Omit<OpsAnswer, 'json'>>({ args, env });
    return { exitCode, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> };
  }

  async stop(): Promise<void> {
    await this.calls.stop();
  }
}
