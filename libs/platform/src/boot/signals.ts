import { constants } from 'node:os';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

let current: ((signal: NodeJS.Signals) => void) | undefined;

/** What SIGTERM and SIGINT do from now on, instead of what they did. */
export function onEndSignals(handler: (signal: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) {
    if (current !== undefined) process.off(signal, current);
    process.on(signal, handler);
  }
  current = handler;
}

/**
 * They end the process at once. That is what they do to any process without a handler, but not to the first one of a
 * container: to it they do nothing, and it would have to be killed.
 */
export function endOnSignals(): void {
  onEndSignals((signal) => process.exit(128 + constants.signals[signal]));
}
