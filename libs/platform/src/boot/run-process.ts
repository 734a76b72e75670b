import { constants } from 'node:os';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

let current: ((signal: NodeJS.Signals) => void) | undefined;

export interface Program {
  /** undefined when the process continues. */
  run: () => Promise<number | void>;
}

/**
 * Lets SIGTERM and SIGINT end the process until the program installs its own handler: the first process of a container
 * would ignore them.
 */
export async function runProcess(load: () => Promise<Program>): Promise<void> {
  onEndSignals((signal) => process.exit(128 + constants.signals[signal]));
  const { run } = await load();
  const exitCode = await run();
  if (exitCode !== undefined) process.exitCode = exitCode;
}

export function onEndSignals(handler: (signal: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) {
    if (current !== undefined) process.off(signal, current);
    process.on(signal, handler);
  }
  current = handler;
}
