import { setTimeout as wait } from 'node:timers/promises';
import type { Server } from 'node:http';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { onEndSignals, ServiceState, type Config } from '#platform';
import type { Tracing } from '#telemetry';

/**
 * SIGTERM or SIGINT: readiness says no, requests are served until load balancers have noticed, then the server closes,
 * what is in flight is finished, and only then do the modules let go of their connections. A second signal ends the
 * process at once.
 */
export function shutDownOnSignals(
  app: NestExpressApplication,
  { shutdownDelayMs, shutdownTimeoutMs }: Pick<Config, 'shutdownDelayMs' | 'shutdownTimeoutMs'>,
  tracing: Tracing,
): void {
  const logger = new Logger('Shutdown');
  let isShuttingDown = false;

  const shutDown = async (signal: string): Promise<void> => {
    logger.log(`${signal}: draining`);
    const state = app.get(ServiceState);
    const server = app.getHttpServer();
    state.drain();
    await wait(shutdownDelayMs);
    state.stop();
    await closed(server);
    await app.close();
    await tracing.stop();
    logger.log('stopped');
  };

  onEndSignals((signal) => {
    if (isShuttingDown) {
      logger.warn(`${signal} again: stopping at once`);
      process.exit(1);
    }
    isShuttingDown = true;
    setTimeout(() => {
      logger.error('not everything ended in time');
      process.exit(1);
    }, shutdownTimeoutMs).unref();
    shutDown(signal).then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  });
}

const SWEEP_MS = 50;

/** Resolves when the last answer is out. Idle connections are cut, busy ones once they have their answer. */
async function closed(server: Server): Promise<void> {
  // Node itself lets a connection that becomes idle now live on for as long as any other.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  try {
    await new Promise<void>((resolve, reject) =>
      server.close((error) => (error === undefined ? resolve() : reject(error))),
    );
  } finally {
    clearInterval(sweep);
  }
}
