import { Logger } from '@nestjs/common';
import type { Config } from '../config/load-config.js';
import { MetricsPortTaken, MetricsServer, type MetricsServerOptions } from './metrics-server.js';

/**
 * Serves the metrics of this process until it ends, unless they are switched off.
 * @throws MetricsPortTaken in production: what nobody can look at is not to run. Elsewhere the process goes on without.
 */
export async function serveMetrics(
  { metricsPort: port, host, nodeEnv }: Pick<Config, 'metricsPort' | 'host' | 'nodeEnv'>,
  component: MetricsServerOptions['component'],
): Promise<MetricsServer | null> {
  const logger = new Logger('Metrics');
  if (port === null) return null;
  try {
    const server = await MetricsServer.start({ port, host, component });
    logger.log(`metrics on port ${server.port}`);
    return server;
  } catch (error) {
    if (nodeEnv === 'production' || !(error instanceof MetricsPortTaken)) throw error;
    logger.warn({ msg: 'metrics are not served', err: error });
    return null;
  }
}
