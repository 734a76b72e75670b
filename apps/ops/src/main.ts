import 'reflect-metadata';
import { CommandFactory } from 'nest-commander';
import { OpsModule } from './ops.module.js';
import { toFailure } from './output.js';

let exitCode = 0;

/** Failures go to stderr as one line of JSON; the exit code is 2 when the command line was wrong, else 1. */
function fail(error: unknown): void {
  const failure = toFailure(error);
  if (failure === null) return;
  process.stderr.write(`${JSON.stringify(failure.body)}\n`);
  exitCode = failure.exitCode;
}

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
process.exitCode = exitCode;
