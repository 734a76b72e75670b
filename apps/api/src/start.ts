import 'reflect-metadata';
import { setTimeout as wait } from 'node:timers/promises';
import type { Server } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { awaitSchema } from '#persistence';
import { loadConfig, runService, ServiceState } from '#platform';
import { PROVIDERS } from '#providers';
import { AppModule } from './app.module.js';
import { createApp } from './create-app.js';

export async function run(): Promise<void> {
  await runService('api', () => {
    const config = loadConfig(PROVIDERS);
    return {
      config,
      port: config.port,
      awaitStores: (onWait) => awaitSchema(config.databaseUrl, config.migrationWaitMs, onWait),
      create: () => createApp(AppModule.forRoot(config), config),
      drain: (app) => drain(app, config.shutdownDelayMs),
    };
  });
}

/** Serves until load balancers have noticed the shutdown, then closes the server after the running requests. */
async function drain(app: NestExpressApplication, shutdownDelayMs: number): Promise<void> {
  await wait(shutdownDelayMs);
  app.get(ServiceState).stop();
  await closed(app.getHttpServer());
}

const PERIOD_MS = 50;

/** Closes idle connections at once, and busy ones after their response. */
async function closed(server: Server): Promise<void> {
  // Node itself keeps a connection that becomes idle now for as long as any other.
  const closingIdle = setInterval(() => server.closeIdleConnections(), PERIOD_MS);
  try {
    await new Promise<void>((resolve, reject) =>
      server.close((error) => (error === undefined ? resolve() : reject(error))),
    );
  } finally {
    clearInterval(closingIdle);
  }
}
