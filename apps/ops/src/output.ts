import { DomainError } from '#domain/system';
import { DatabaseUnavailable, RotationFailed } from '#persistence';
import { ConfigError } from '#platform';

/** The command line is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Checks of `doctor` failed. They are on stdout. */
export class ChecksFailed extends Error {
  override readonly name = 'ChecksFailed';
}

/** A setting is missing. */
export class NotConfigured extends Error {
  override readonly name = 'NotConfigured';
}

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** Prints a result as one line of JSON or as text. No other code may write to stdout. */
export function print(result: unknown, options: { json?: boolean }, text: () => string): void {
  process.stdout.write(`${options.json === true ? JSON.stringify(result) : text()}\n`);
}

export interface CommandFailure {
  exitCode: number;
  body: { error: string; code: string; message: string; details?: unknown };
}

/** Returns null for help and version, which Commander reports as errors. */
export function toFailure(error: unknown): CommandFailure | null {
  if (isCommanderError(error)) {
    if (error.exitCode === 0) return null;
    const message = error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '');
    return failure(EXIT_USAGE, 'Usage', message);
  }
  if (error instanceof UsageError) return failure(EXIT_USAGE, 'Usage', error.message);
  if (error instanceof DomainError) {
    const { code, message, details } = error;
    return failure(code === 'ValidationFailed' ? EXIT_USAGE : EXIT_FAILED, code, message, details);
  }
  if (error instanceof DatabaseUnavailable) {
    return failure(EXIT_FAILED, 'DatabaseUnavailable', 'The database is unavailable.');
  }
  if (error instanceof RotationFailed) {
    return failure(EXIT_FAILED, 'RotationFailed', error.message, { failures: error.failures, report: error.report });
  }
  if (error instanceof ChecksFailed) return failure(EXIT_FAILED, 'ChecksFailed', error.message);
  if (error instanceof ConfigError) return failure(EXIT_FAILED, 'NotConfigured', error.message);
  if (error instanceof NotConfigured) return failure(EXIT_FAILED, 'NotConfigured', error.message);
  return failure(EXIT_FAILED, 'InternalError', error instanceof Error ? error.message : String(error));
}

/** A dependency of nest-commander owns the class. */
function isCommanderError(error: unknown): error is Error & { code: string; exitCode: number } {
  return error instanceof Error && 'exitCode' in error && 'code' in error && /^commander\./.test(String(error.code));
}

function failure(exitCode: number, code: string, message: string, details?: unknown): CommandFailure {
  return { exitCode, body: { error: code, code, message, ...(details === undefined ? {} : { details }) } };
}

export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Says how to read on, when there is more. */
export function moreText({ nextPageToken }: { nextPageToken: string | null }): string[] {
  return nextPageToken === null ? [] : ['', `More: --page-token ${nextPageToken}`];
}
