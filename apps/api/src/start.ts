import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { awaitSchema, KeyRingError } from '#persistence';
import {
  ConfigError,
  loadConfig,
  MetricsPortTaken,
  productVersion,
  serveMetrics,
  ServiceState,
  waitLine,
} from '#platform';
import { PROVIDERS } from '#providers';
import { startTracing } from '#telemetry';
import { AppModule } from './app.module.js';
import { createApp } from './create-app.js';
import { shutDownOnSignals } from './shutdown.js';

async function start(): Promise<void> {
  const config = loadConfig(PROVIDERS);
  const tracing = await startTracing(config, {
    serviceName: 'unified-calendar-api',
    serviceVersion: productVersion(),
    onProblem: (err) => new Logger('Tracing').warn({ msg: 'traces cannot be exported', err }),
  });
  // Before anything of the process is made: what a module says now nobody hears.
  await awaitSchema(config.databaseUrl, config.schemaWaitMs, waitLine({ service: 'api', level: config.logLevel }));
  const app = await createApp(AppModule.forRoot(config), config);
  shutDownOnSignals(app, config, tracing);
  await serveMetrics(config, 'api');
  await app.listen(config.port, config.host);
  app.get(ServiceState).started();
  new Logger('Api').log(`listening on ${await app.getUrl()}`);
}

start().catch((error: unknown) => {
  // Before there is a configuration there is no logger. These name settings, never values.
  const isConfiguration = [ConfigError, KeyRingError, MetricsPortTaken].some((type) => error instanceof type);
  process.stderr.write(`${describe(error, isConfiguration)}\n`);
  process.exit(1);
});

function describe(error: unknown, isConfiguration: boolean): string {
  if (!(error instanceof Error)) return 'something that is no Error was thrown';
  return isConfiguration ? error.message : (error.stack ?? error.message);
}
