import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GuardedEgress } from '#egress';
import { inSpan } from '#platform/telemetry';
import { answer, reset } from '../support/faults.js';
import { FaultServer } from '../support/fault-server.js';
import { recordSpans } from '#platform/testing/recorded-spans';

describe('spans of exchanges', () => {
  let server: FaultServer;
  let egress: GuardedEgress;
  let recorded: ReturnType<typeof recordSpans>;
  const headers: (string | undefined)[] = [];

  beforeAll(async () => {
    server = await FaultServer.start();
    egress = new GuardedEgress({ allow: new URL(server.origin).host });
    recorded = recordSpans();
    server.route('/canary', (request, response) => {
      headers.push(request.headers['traceparent'] as string | undefined);
      answer(200)(request, response);
    });
    server.route('/missing', answer(404));
    server.route('/reset', reset('before-response'));
  });
  afterAll(async () => {
    recorded.stop();
    await egress.close();
    await server.close();
  });

  const ask = (path: string, sendsTraceparent?: boolean) =>
    inSpan('test', { traceparent: null }, () =>
      egress.request({
        method: 'GET',
        url: `${server.origin}${path}?canary`,
        headers: { authorization: 'canary' },
        timeoutMs: 5_000,
        maxBytes: 1_000,
        ...(sendsTraceparent !== undefined && { sendsTraceparent }),
      }),
    ).catch(() => undefined);

  it('N55 tell method, origin and what came of it, nothing else', async () => {
    await ask('/canary');
    await ask('/missing');
    await ask('/reset');
    const { hostname, port } = new URL(server.origin);
    const where = {
      'http.request.method': 'GET',
      'server.address': hostname,
      'server.port': Number(port),
      'url.full': `${server.origin}/REDACTED`,
    };
    const exchanges = recorded.spans().filter(({ kind }) => kind === 'CLIENT');
    expect(exchanges.map(({ name, attributes, isFailed }) => [name, attributes, isFailed])).toEqual([
      ['GET', { ...where, 'http.response.status_code': 200 }, false],
      ['GET', { ...where, 'http.response.status_code': 404, 'error.type': '404' }, true],
      ['GET', { ...where, 'error.type': 'reset' }, true],
    ]);
    expect(JSON.stringify(recorded.spans())).not.toContain('canary');
  });

  it('are told to nobody but who is to know', async () => {
    headers.length = 0;
    await ask('/canary');
    await ask('/canary', true);
    const exchange = recorded.spans().findLast(({ kind }) => kind === 'CLIENT');
    expect(headers).toEqual([undefined, `00-${exchange?.traceId}-${exchange?.spanId}-01`]);
  });

  it('are none outside of a trace', async () => {
    headers.length = 0;
    const { length } = recorded.spans();
    const request = { method: 'GET', url: `${server.origin}/canary`, timeoutMs: 5_000, maxBytes: 1_000 };
    await egress.request({ ...request, sendsTraceparent: true });
    expect(headers).toEqual([undefined]);
    expect(recorded.spans()).toHaveLength(length);
  });
});
