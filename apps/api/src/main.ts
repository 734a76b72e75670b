import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { KeyRingError } from '#persistence';
import { ConfigError, loadConfig, ServiceState } from '#platform';
import { startTracing } from '#telemetry';
import { AppModule } from './app.module.js';
import { createApp } from './create-app.js';
import { shutDownOnSignals } from './shutdown.js';

async function start(): Promise<void> {
  const config = loadConfig();
  const tracing = await startTracing(config, {
    serviceName: 'unified-calendar-api',
    onProblem: (err) => new Logger('Tracing').warn({ msg: 'traces cannot be exported', err }),
  });
  const app = await createApp(AppModule.forRoot(config), config);
  shutDownOnSignals(app, config, tracing);
  await app.listen(config.port, config.host);
  app.get(ServiceState).started();
  new Logger('Api').log(`listening on ${await app.getUrl()}`);
}

start().catch((error: unknown) => {
  // Before there is a configuration there is no logger. These two name settings, never values.
  const isConfiguration = error instanceof ConfigError || error instanceof KeyRingError;
  process.stderr.write(`${isConfiguration ? error.message : describe(error)}\n`);
  process.exit(1);
});

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : 'something that is no Error was thrown';
}
