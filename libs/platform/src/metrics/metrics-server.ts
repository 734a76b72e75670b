import { once } from 'node:events';
// eslint-disable-next-line no-restricted-imports -- listens; it asks nobody
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { beginMeasuring, exposition } from '../telemetry/index.js';
import type { Config } from '../config/load-config.js';
import { productVersion } from '../product-version.js';

export interface MetricsServerOptions {
  /** 0 for a free port. */
  port: number;
  host: string;
  component: 'api' | 'worker';
}

/** The message names the setting to change. */
export class MetricsPortTaken extends Error {
  override readonly name = 'MetricsPortTaken';
}

export class MetricsServer {
  private constructor(private readonly server: Server) {}

  /** @throws MetricsPortTaken */
  static async start({ port, host, component }: MetricsServerOptions): Promise<MetricsServer> {
    const server = createServer((request, response) => void answer(request, response));
    server.listen(port, host);
    try {
      await once(server, 'listening');
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw new MetricsPortTaken(
        `Metrics cannot be served on port ${port} (${code}): choose another METRICS_PORT, or METRICS_PORT=off.`,
        { cause },
      );
    }
    beginMeasuring({ version: productVersion(), component });
    return new MetricsServer(server);
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

/** @throws MetricsPortTaken in production, which must be observable; elsewhere the process runs without metrics */
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

async function answer({ method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
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
