import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Logger } from 'nestjs-pino';
import { QueueSchemaMismatch, verifyQueueSchema } from '#jobs';
import { awaitSchema } from '#persistence';
import { loadConfig, retryUntilReady, runService, type Config } from '#platform';
import { PROVIDERS } from '#providers';
import { GracefulShutdown } from './graceful-shutdown.js';
import { WorkerModule } from './worker.module.js';

/** Time for closing connections after the jobs have ended. */
const CLOSING_MS = 4_000;

export async function run(): Promise<void> {
  await runService('worker', () => {
    const config = loadConfig(PROVIDERS);
    return {
      config,
      port: config.workerHealthPort,
      awaitStores: (onWait) => awaitStores(config, onWait),
      create: async () => {
        const app = await NestFactory.create(WorkerModule.forRoot(config), { bufferLogs: true, abortOnError: false });
        app.useLogger(app.get(Logger));
        return app;
      },
      drain: (app) => app.get(GracefulShutdown).drain(Math.max(0, config.shutdownTimeoutMs - CLOSING_MS)),
    };
  });
}

/** Waits for the schema, because queue workers start at once. */
async function awaitStores(
  { databaseUrl, redisUrl, migrationWaitMs }: Config,
  onWait: (reason: Error) => void,
): Promise<void> {
  await awaitSchema(databaseUrl, migrationWaitMs, onWait);
  if (redisUrl !== undefined) return;
  await retryUntilReady(() => verifyQueueSchema(databaseUrl), {
    waitMs: migrationWaitMs,
    isPending: (error): error is Error => error instanceof QueueSchemaMismatch && error.kind === 'older',
    onWait,
  });
}
