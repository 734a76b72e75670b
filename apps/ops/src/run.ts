import 'reflect-metadata';
import { CommandFactory } from 'nest-commander';
import { OpsModule } from './ops.module.js';
import { toFailure } from './output.js';

/**
 * Runs the command line in `process.argv`. Writes a failure to stderr as one line of JSON.
 * @returns the exit code: 2 for a wrong command line, 1 for other failures, else 0
 */
export async function run(): Promise<number> {
  let exitCode = 0;
  const fail = (error: unknown): void => {
    const failure = toFailure(error);
    if (failure === null) return;
    process.stderr.write(`${JSON.stringify(failure.body)}\n`);
    exitCode = failure.exitCode;
  };
  try {
    await CommandFactory.run(OpsModule, {
      logger: false,
      abortOnError: false,
      errorHandler: (error) => {
        throw error;
      },
      serviceErrorHandler: fail,
      // The failure contains Commander's message; help stays on stdout.
      outputConfiguration: { outputError: () => undefined, writeErr: () => undefined },
    });
  } catch (error) {
    fail(error);
  }
  return exitCode;
}
