import { once } from 'node:events';
// eslint-disable-next-line no-restricted-imports -- listens; it asks nobody
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { beginMeasuring, exposition } from '../telemetry/index.js';
import type { Config } from '../config/load-config.js';
import { productVersion } from '../product-version.js';

/** The message names the setting to change. */
export class MetricsPortTaken extends Error {
  override readonly name = 'MetricsPortTaken';
}

/**
 * Port 0 takes a free one. Returns null when metrics are off, or their port is taken outside production.
 * @throws MetricsPortTaken in production, which must be observable
 */
export async function serveMetrics(
  { metricsPort: port, host, nodeEnv }: Pick<Config, 'metricsPort' | 'host' | 'nodeEnv'>,
  component: 'api' | 'worker',
): Promise<Server | null> {
  if (port === null) return null;
  const logger = new Logger('Metrics');
  const server = createServer((request, response) => void respond(request, response));
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message = `Metrics cannot be served on port ${port} (${code}): choose another METRICS_PORT, or METRICS_PORT=off.`;
    const taken = new MetricsPortTaken(message, { cause });
    if (nodeEnv === 'production') throw taken;
    logger.warn({ msg: 'metrics server failed', err: taken });
    return null;
  }
  beginMeasuring({ version: productVersion(), component });
  const address = server.address();
  logger.log(`metrics on port ${typeof address === 'object' ? address?.port : address}`);
  return server;
}

async function respond({ method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  const { headers } = response.req;
  if (url?.split('?', 1)[0] !== '/metrics') return end(response, 404, 'There is nothing at this address.\n');
  if (method !== 'GET') return end(response.setHeader('allow', 'GET'), 405, 'This can only be read.\n');
  try {
    const { contentType, body } = await exposition(headers.accept);
    end(response.setHeader('content-type', contentType), 200, body);
  } catch {
    end(response, 500, 'The metrics could not be collected.\n');
  }
}

function end(response: ServerResponse, status: number, body: string): void {
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.setHeader('cache-control', 'no-store');
  response.writeHead(status).end(body);
}
