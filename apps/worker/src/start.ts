import 'reflect-metadata';
import { Logger as NestLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Logger } from 'nestjs-pino';
import { QueueSchemaMismatch, verifyQueueSchema } from '#jobs';
import { awaitSchema } from '#persistence';
import {
  ConfigError,
  createLogger,
  loadConfig,
  onEndSignals,
  patiently,
  productVersion,
  serveMetrics,
  ServiceState,
  waitLine,
  type Config,
} from '#platform';
import { PROVIDERS } from '#providers';
import { startTracing } from '#telemetry';
import { QueueDrain } from './queue-drain.js';
import { WorkerModule } from './worker.module.js';

/** Left for closing connections after the jobs have ended. */
const CLOSING_MS = 4_000;

async function run(config: Config): Promise<void> {
  await awaitDatabase(config);
  const tracing = await startTracing(config, {
    serviceName: 'unified-calendar-worker',
    serviceVersion: productVersion(),
    onProblem: (err) => new NestLogger('Tracing').warn({ msg: 'traces cannot be exported', err }),
  });
  const app = await NestFactory.create(WorkerModule.forRoot(config), { bufferLogs: true, abortOnError: false });
  const logger = app.get(Logger);
  app.useLogger(logger);
  const state = app.get(ServiceState);

  let isStopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (isStopping) {
      logger.warn(`${signal} again: not waiting any longer`);
      process.exit(1);
    }
    isStopping = true;
    logger.log(`${signal}: stopping`);
    state.drain();
    const limitMs = config.shutdownTimeoutMs;
    setTimeout(() => {
      logger.error(`not stopped within ${limitMs} ms`);
      process.exit(1);
    }, limitMs).unref();
    try {
      await app.get(QueueDrain).drain(Math.max(0, limitMs - CLOSING_MS));
      state.stop();
      await app.close();
      await tracing.stop();
    } catch (error) {
      // The work itself is done or given back; a connection that cannot be closed ends with the process.
      logger.warn({ msg: 'something could not be closed', err: error });
    }
    logger.log('stopped');
    process.exit(0);
  };
  onEndSignals((signal) => void stop(signal));

  await serveMetrics(config, 'worker');
  await app.listen(config.workerHealthPort, config.host);
  state.started();
  logger.log(`working; health on port ${config.workerHealthPort}`);
}

/** Before anything of the process is made: queues would begin to work, and what a module says now nobody hears. */
async function awaitDatabase({ databaseUrl, redisUrl, schemaWaitMs, logLevel }: Config): Promise<void> {
  const onWait = waitLine({ service: 'worker', level: logLevel });
  await awaitSchema(databaseUrl, schemaWaitMs, onWait);
  if (redisUrl !== undefined) return;
  await patiently(() => verifyQueueSchema(databaseUrl), {
    waitMs: schemaWaitMs,
    isPending: (error): error is Error => error instanceof QueueSchemaMismatch && error.kind === 'older',
    onWait,
  });
}

try {
  await run(loadConfig(PROVIDERS));
} catch (error) {
  const logger = createLogger({ service: 'worker', level: 'fatal' });
  if (error instanceof ConfigError) logger.fatal({ problems: error.problems }, 'the configuration is not usable');
  else logger.fatal({ err: error }, 'the worker could not start');
  process.exit(1);
}
