import { constants } from 'node:os';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

let current: ((signal: NodeJS.Signals) => void) | undefined;

export interface Program {
  /** @returns the exit code; undefined when the process continues */
  run: () => Promise<number | void>;
}

/**
 * Loads and runs a program. Until it installs its own handler, SIGTERM and SIGINT end the process at once. That is
 * their default effect, except on the first process of a container, which ignores them and would have to be killed.
 */
export async function runProcess(load: () => Promise<Program>): Promise<void> {
  onEndSignals((signal) => process.exit(128 + constants.signals[signal]));
  const { run } = await load();
  const exitCode = await run();
  if (exitCode !== undefined) process.exitCode = exitCode;
}

/** Replaces the handler of SIGTERM and SIGINT. */
export function onEndSignals(handler: (signal: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) {
    if (current !== undefined) process.off(signal, current);
    process.on(signal, handler);
  }
  current = handler;
}
