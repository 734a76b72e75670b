import { readSettings } from './environment.js';
import { createCalendarApi } from './google/calendar/index.js';
import { createGraphApi } from './microsoft/calendar/index.js';
import { Sandbox } from './sandbox.js';

try {
  const sandbox = await Sandbox.start(readSettings(process.env), { createCalendarApi, createGraphApi });
  const stop = (): void => {
    sandbox.close().catch((error: unknown) => {
      process.stderr.write(`The sandbox did not end well: ${(error as Error).message}\n`);
      process.exitCode = 1;
    });
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  const { googleUrl, microsoftUrl, controlUrl } = sandbox;
  process.stdout.write(`${JSON.stringify({ googleUrl, microsoftUrl, controlUrl })}\n`);
} catch (error) {
  process.stderr.write(`The sandbox could not start: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
