import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Logger, type INestApplication } from '@nestjs/common';
import { startTracing } from '../telemetry/index.js';
import { onEndSignals } from './run-process.js';
import { ConfigError, type Config } from '../config/load-config.js';
import { ServiceState } from '../health/service-state.js';
import { createLogger } from '../logging/logging.module.js';
import { serveMetrics } from '../metrics/metrics-server.js';
import { productVersion } from '../product-version.js';

export interface Service<App extends INestApplication> {
  config: Config;
  port: number;
  /** Waits for the stores before `create`: modules lose the lines they log before the application exists. */
  awaitStores(onWait: (reason: Error) => void): Promise<void>;
  create(): Promise<App>;
  drain(app: App): Promise<void>;
}

/**
 * On SIGTERM or SIGINT readiness fails, work is drained, then the modules close their connections. A second signal or
 * `SHUTDOWN_TIMEOUT_MS` ends the process at once. `describe` throws ConfigError.
 */
export async function runService<App extends INestApplication>(
  name: 'api' | 'worker',
  describe: () => Service<App>,
): Promise<void> {
  try {
    await start(name, describe());
  } catch (error) {
    const logger = createLogger({ service: name, level: 'fatal' });
    // Problems name settings, never values.
    if (error instanceof ConfigError) logger.fatal({ problems: error.problems }, 'the configuration is not usable');
    else logger.fatal({ err: error }, 'the process could not start');
    process.exit(1);
  }
}

async function start<App extends INestApplication>(name: 'api' | 'worker', service: Service<App>): Promise<void> {
  const { config, port } = service;
  await service.awaitStores(({ message }) => {
    const logger = createLogger({ service: name, level: config.logLevel });
    logger.warn({ msg: 'waiting for the database or its migrations', reason: message });
  });
  const tracing = await startTracing(config, {
    serviceName: `unified-calendar-${name}`,
    serviceVersion: productVersion(),
    onProblem: (err) => new Logger('Tracing').warn({ msg: 'trace export failed', err }),
  });
  const app = await service.create();
  const state = app.get(ServiceState);
  const logger = new Logger('Process');
  endOnSignal(config.shutdownTimeoutMs, logger, async () => {
    state.drain();
    await service.drain(app);
    state.stop();
    try {
      await app.close();
      await tracing.stop();
    } catch (error) {
      // The work is finished or released; an open connection ends with the process.
      logger.warn({ msg: 'resource could not be closed', err: error });
    }
  });
  await serveMetrics(config, name);
  await app.listen(port, config.host);
  releaseMemory();
  state.started();
  logger.log(`listening on port ${port}`);
}

/** V8 would keep the memory of the boot, a third of an idle process (docs/operations/README.md). Takes 0.2 s. */
function releaseMemory(): void {
  // The flag applies to new contexts only.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NonNullable<typeof gc>;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

function endOnSignal(timeoutMs: number, logger: Logger, shutDown: () => Promise<void>): void {
  let isShuttingDown = false;
  onEndSignals((signal) => {
    if (isShuttingDown) {
      logger.warn(`${signal} again: not waiting any longer`);
      process.exit(1);
    }
    isShuttingDown = true;
    logger.log(`${signal}: draining`);
    setTimeout(() => {
      logger.error(`not stopped within ${timeoutMs} ms`);
      process.exit(1);
    }, timeoutMs).unref();
    shutDown().then(
      () => {
        logger.log('stopped');
        process.exit(0);
      },
      (error: unknown) => {
        logger.error({ msg: 'shutdown failed', err: error });
        process.exit(1);
      },
    );
  });
}
