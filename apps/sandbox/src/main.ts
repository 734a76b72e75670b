import { readSettings } from './environment.js';
import { createCalendarApi } from './google/calendar/index.js';
import { Sandbox } from './sandbox.js';

try {
  const sandbox = await Sandbox.start(readSettings(process.env), createCalendarApi);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void sandbox.close());
  const { googleUrl, controlUrl } = sandbox;
  process.stdout.write(`${JSON.stringify({ googleUrl, controlUrl })}\n`);
} catch (error) {
  process.stderr.write(`The sandbox could not start: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
