import { constants } from 'node:os';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

let current: ((signal: NodeJS.Signals) => void) | undefined;

/** What a process runs once it is loaded. */
export interface Program {
  /** @returns the exit code; undefined when the process goes on */
  run: () => Promise<number | void>;
}

/**
 * Loads and runs a program. SIGTERM and SIGINT end the process at once until the program says otherwise, from before it is
 * loaded, which takes a while. That is what they do to any process without a handler, but not to the first one of a container:
 * to it they do nothing, and it would have to be killed.
 */
export async function runProcess(load: () => Promise<Program>): Promise<void> {
  onEndSignals((signal) => process.exit(128 + constants.signals[signal]));
  const { run } = await load();
  const exitCode = await run();
  if (exitCode !== undefined) process.exitCode = exitCode;
}

/** What SIGTERM and SIGINT do from now on, instead of what they did. */
export function onEndSignals(handler: (signal: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) {
    if (current !== undefined) process.off(signal, current);
    process.on(signal, handler);
  }
  current = handler;
}
