import { createLogger, type LoggingOptions } from '../logging/logging.module.js';

/** What a process that waits for its database logs: nothing of it is made yet, and it has no logger of its own. */
export function waitLine(options: LoggingOptions): (reason: Error) => void {
  const logger = createLogger(options);
  return ({ message }) => logger.warn({ msg: 'waiting for the database or its migrations', reason: message });
}
