import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MetricsPortTaken, serveMetrics } from '#platform';

const HOST = '127.0.0.1';
let server: Server;
let port: number;

beforeAll(async () => {
  jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
  server = (await serveMetrics({ metricsPort: 0, host: HOST, nodeEnv: 'production' }, 'worker'))!;
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.close().closeAllConnections();
  jest.restoreAllMocks();
});

const ask = (path: string, init?: RequestInit) => fetch(`http://${HOST}:${port}${path}`, init);

describe('the server of metrics', () => {
  it('answers /metrics, and nothing else', async () => {
    const response = await ask('/metrics?all');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await response.text()).toMatch(/^calendar_build_info\{version="\d+\.\d+\.\d+",component="worker"\} 1$/m);
    for (const path of ['/', '/metrics/', '/health/live', '/debug']) expect((await ask(path)).status).toBe(404);
    const post = await ask('/metrics', { method: 'POST', body: 'x' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET']);
  });

  it('speaks OpenMetrics with who asks for it', async () => {
    const response = await ask('/metrics', { headers: { accept: 'application/openmetrics-text;version=1.0.0' } });
    expect(response.headers.get('content-type')).toMatch(/^application\/openmetrics-text/);
    expect(await response.text()).toMatch(/# EOF\n$/);
  });

  it('that cannot listen ends a start in production, saying why; elsewhere the process goes on without it', async () => {
    const taken = { metricsPort: port, host: HOST };
    const rejection: unknown = await serveMetrics({ ...taken, nodeEnv: 'production' }, 'worker').catch(
      (error) => error,
    );
    expect(rejection).toBeInstanceOf(MetricsPortTaken);
    expect((rejection as Error).message).toBe(
      `Metrics cannot be served on port ${port} (EADDRINUSE): choose another METRICS_PORT, or METRICS_PORT=off.`,
    );
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    expect(await serveMetrics({ ...taken, nodeEnv: 'development' }, 'worker')).toBeNull();
    expect(warned.mock.calls).toEqual([[expect.objectContaining({ msg: 'metrics server failed' })]]);
  });

  it('is not there when it is switched off', async () => {
    expect(await serveMetrics({ metricsPort: null, host: HOST, nodeEnv: 'production' }, 'worker')).toBeNull();
  });
});
