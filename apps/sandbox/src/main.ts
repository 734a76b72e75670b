import { readSettings } from './environment.js';
import { Sandbox } from './sandbox.js';

try {
  const sandbox = await Sandbox.start(readSettings(process.env));
  const stop = (): void => {
    sandbox.close().catch((error: unknown) => {
      process.stderr.write(`The sandbox did not end well: ${(error as Error).message}\n`);
      process.exitCode = 1;
    });
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  const { urls, controlUrl } = sandbox;
  const said = { googleUrl: urls.google, microsoftUrl: urls.microsoft, controlUrl };
  process.stdout.write(`${JSON.stringify(said)}\n`);
} catch (error) {
  process.stderr.write(`The sandbox could not start: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
