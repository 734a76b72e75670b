import 'reflect-metadata';
import { CommandFactory } from 'nest-commander';
import { OpsModule } from './ops.module.js';
import { toFailure } from './output.js';

/**
 * Carries out the command line in `process.argv`. Failures go to stderr as one line of JSON.
 * @returns the exit code: 2 when the command line was wrong, 1 for any other failure, else 0
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
      cliName: 'ops',
      logger: false,
      abortOnError: false,
      errorHandler: (error) => {
        throw error;
      },
      serviceErrorHandler: fail,
      // The message of a wrong command line is part of the failure; help stays on stdout.
      outputConfiguration: { outputError: () => undefined, writeErr: () => undefined },
    });
  } catch (error) {
    fail(error);
  }
  return exitCode;
}
