import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { OtlpCollector } from '../../support/otlp-collector.js';
import {
  startTracing,
  type Tracing,
  type TracingSettings,
} from '../../../libs/platform/src/telemetry/start-tracing.js';
import { inSpan, isTracingEnabled } from '../../../libs/platform/src/telemetry/tracing.js';

const SETTINGS: TracingSettings = {
  otelEndpoint: undefined,
  otelHeaders: undefined,
  otelServiceName: undefined,
  otelResourceAttributes: undefined,
  otelTracesSampler: 'parentbased_traceidratio',
  otelTracesSamplerArg: 1,
  otelSdkDisabled: 'false',
};
const work = () =>
  inSpan('look', { traceparent: null, attributes: { 'calendar.provider': 'GOOGLE', n: 3, is: true } }, async () => 1);

describe('startTracing', () => {
  let tracing: Tracing | undefined;
  const problems: Error[] = [];
  const start = async (settings: Partial<TracingSettings>) => {
    problems.length = 0;
    tracing = await startTracing(
      { ...SETTINGS, ...settings },
      {
        serviceName: 'unified-calendar-api',
        serviceVersion: '1.2.3',
        onProblem: (problem) => void problems.push(problem),
      },
    );
    return tracing;
  };
  afterEach(() => tracing?.stop());

  it.each<Partial<TracingSettings>>([{}, { otelEndpoint: 'http://127.0.0.1:1', otelSdkDisabled: 'true' }])(
    'does nothing with %p',
    async (settings) => {
      await start(settings);
      expect(isTracingEnabled()).toBe(false);
    },
  );

  it('exports spans as OTLP, the last ones when it is stopped', async () => {
    const collector = await OtlpCollector.start();
    const { stop } = await start({
      otelEndpoint: `${collector.endpoint}/`,
      otelHeaders: { authorization: 'Bearer x' },
      otelResourceAttributes: { 'deployment.environment.name': 'test' },
    });
    await work();
    await stop();
    expect(problems).toEqual([]);
    expect(isTracingEnabled()).toBe(false);
    expect(collector.requests).toMatchObject([{ path: '/v1/traces', headers: { authorization: 'Bearer x' } }]);
    expect(collector.resources).toEqual([
      {
        'service.name': 'unified-calendar-api',
        'service.version': '1.2.3',
        'service.instance.id': expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        'deployment.environment.name': 'test',
        'telemetry.sdk.language': 'nodejs',
        'telemetry.sdk.name': 'opentelemetry',
        'telemetry.sdk.version': expect.any(String),
      },
    ]);
    expect(collector.spans).toMatchObject([
      {
        name: 'look',
        kind: 'internal',
        service: 'unified-calendar-api',
        attributes: { 'calendar.provider': 'GOOGLE', n: 3, is: true },
        parentSpanId: '',
      },
    ]);
    await collector.stop();
  });

  it('is called what the settings say', async () => {
    const collector = await OtlpCollector.start();
    for (const settings of [
      { otelServiceName: 'calendar', otelResourceAttributes: { 'service.name': 'other' } },
      { otelResourceAttributes: { 'service.name': 'other' } },
    ]) {
      const { stop } = await start({ otelEndpoint: collector.endpoint, ...settings });
      await work();
      await stop();
    }
    expect(collector.spans.map(({ service }) => service)).toEqual(['calendar', 'other']);
    await collector.stop();
  });

  it('is stopped within two seconds, and holds no more than it may, when its collector does not answer', async () => {
    const waiting: ServerResponse[] = [];
    const silent = createServer((_, response) => void waiting.push(response)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { stop } = await start({ otelEndpoint: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` });
    for (let span = 0; span < 10_000; span += 1) await work();
    const startMs = performance.now();
    await stop();
    expect(performance.now() - startMs).toBeLessThan(3_500);
    // Of 512 spans each, the one that was under way included.
    expect(waiting.length).toBeLessThanOrEqual(5);
    await Promise.all(waiting.map((response) => once(response.writeHead(400).end(), 'close')));
    silent.closeAllConnections();
    silent.close();
  });

  it('says what is wrong, once a minute', async () => {
    const refusing = createServer((_, response) => void response.writeHead(401).end()).listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const { stop } = await start({ otelEndpoint: `http://127.0.0.1:${(refusing.address() as AddressInfo).port}` });
    for (let span = 0; span < 1_100; span += 1) await work();
    await stop();
    expect(problems.map(({ message }) => message)).toEqual(['Unauthorized']);
    refusing.closeAllConnections();
    refusing.close();
  });
});
