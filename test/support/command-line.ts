import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Calls } from './calls.js';
import { entryPoint, NODE } from './entry-points.js';
import { KeptProcess } from './kept-process.js';
import type { OpsResult } from './stack.js';

const SCRIPT = join(import.meta.dirname, 'command-line-process.mjs');

/** `ops …` in one process for all suites of a worker of Jest: the start of the command line has tests of its own. */
export class CommandLine {
  private constructor(private readonly calls: Calls) {}

  static start(): CommandLine {
    const { PATH, HOME } = process.env;
    const settings = { PATH, HOME, OPS_RUN: pathToFileURL(entryPoint('ops-run')).href };
    const kept = KeptProcess.start('command-line', [NODE, SCRIPT], settings);
    return new CommandLine(new Calls('the command line', () => kept.firstLine(), kept));
  }

  async run(env: NodeJS.ProcessEnv, ...args: string[]): Promise<OpsResult> {
    const response = await this.calls.call<Omit<OpsResult, 'json'>>('POST', { args, env });
    return { ...response, json: () => JSON.parse(response.stdout) as Record<string, unknown> };
  }
}
