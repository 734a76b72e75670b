import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './processes.js';
import { pythonPath } from './python-packages.js';

const DOCUMENT = join(import.meta.dirname, '..', '..', 'docs/openapi.json');

/** What Schemathesis is to do with a running service. */
export interface FuzzOptions {
  baseUrl: string;
  apiKey: string;
  /** Values of path parameters. */
  parameters: Record<string, string>;
  checks: string[];
  /** Which operations: regular expressions of their paths. */
  paths: { with: string } | { without: string };
  /** Requests of each operation that are made up at random, besides the systematic ones. */
  examples: number;
}

/** How it ended. */
export interface Fuzzed {
  exitCode: unknown;
  /** Operations that were asked. */
  operations: number;
  report: string;
}

/** The event that all operations are tried with has to outlive a change that cancels it. */
const HOOKS = `import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    if isinstance(case.body, dict) and case.body.get("isCancelled") is True:
        case.body = {**case.body, "isCancelled": False}
`;

/**
 * Requests that docs/openapi.json allows and such as it does not, the same ones each time.
 * @param directory for its settings
 * @returns how it ended, how many operations it asked, and its report
 */
export async function fuzz(directory: string, options: FuzzOptions): Promise<Fuzzed> {
  const { baseUrl, apiKey, parameters, checks, paths, examples } = options;
  const settings = Object.entries(parameters).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  await writeFile(join(directory, 'schemathesis.toml'), `[parameters]\n${settings.join('\n')}\n`);
  await writeFile(join(directory, 'event_outlives.py'), HOOKS);
  const args = [
    ...['-c', 'from schemathesis.cli import schemathesis; schemathesis()', 'run', DOCUMENT],
    ...['--url', baseUrl, '-H', `x-api-key: ${apiKey}`, '--checks', checks.join()],
    ...['--phases', 'examples,coverage,fuzzing', '--max-examples', String(examples)],
    ...['--seed', '7', '--generation-deterministic'],
    ...['--continue-on-failure', '--exclude-method', 'DELETE', '--no-color', '--suppress-health-check', 'all'],
    ...('with' in paths ? ['--include-path-regex', paths.with] : ['--exclude-path-regex', paths.without]),
  ];
  const { PATH } = process.env;
  const run = runProgram('python3', ['-B', ...args], {
    cwd: directory,
    env: {
      PATH,
      HOME: directory,
      PYTHONPATH: `${pythonPath()}:${directory}`,
      PYTHONUTF8: '1',
      SCHEMATHESIS_HOOKS: 'event_outlives',
    },
  });
  const exitCode = await run.exited;
  const report = run.stdout() + run.stderr();
  return { exitCode, operations: Number(/Tested: (\d+)/.exec(report)?.[1]), report };
}
