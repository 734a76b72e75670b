import { createLogger, loggedError, runInContext } from '#platform';
import { inSpan } from '../telemetry/index.js';
import { recordSpans } from '#platform/testing/recorded-spans';
import type { Logger } from 'pino';

function lines(log: (logger: Logger) => void): string[] {
  const written: string[] = [];
  log(createLogger({ service: 'test', level: 'info', destination: { write: (line) => void written.push(line) } }));
  return written;
}

const one = (log: (logger: Logger) => void): Record<string, unknown> =>
  JSON.parse(lines(log)[0] ?? '') as Record<string, unknown>;

describe('log lines', () => {
  it('N57 keep line breaks and ANSI sequences in user text on one JSON line', () => {
    const text = 'a\r\n{"level":"fatal"}\u001b[31m\u0000';
    const written = lines((logger) => logger.info({ title: text }, text));
    expect(written).toHaveLength(1);
    expect(written[0]?.slice(0, -1)).not.toMatch(/[\x00-\x1f]/); // eslint-disable-line no-control-regex
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ title: text, msg: text });
  });

  it('carry the request they were written in', () => {
    const line = one((logger) =>
      runInContext({ requestId: 'r1', applicationId: 'a1' }, () => logger.info({ accountId: 'x' }, 'hello')),
    );
    expect(line).toMatchObject({ service: 'test', level: 'info', requestId: 'r1', applicationId: 'a1', msg: 'hello' });
  });

  it('carry the trace of a job that they were written in', async () => {
    const recorded = recordSpans();
    const written = await inSpan('job', { traceparent: null }, async () => one((logger) => logger.info('hello')));
    const [{ traceId } = {}] = recorded.spans();
    recorded.stop();
    expect(written).toMatchObject({ msg: 'hello', traceId });
    expect(one((logger) => logger.info('hello'))).not.toHaveProperty('traceId');
  });

  it('N55 hide secrets by name, however deep and however spelled', () => {
    const canary = 'canary-7f3a';
    const line = lines((logger) =>
      logger.info({
        headers: { Authorization: canary, 'x-api-key': canary, 'Set-Cookie': [canary], 'x-request-id': 'visible' },
        request: { body: { deep: { er: [{ refresh_token: canary, password: canary }] } } },
        apiKey: canary,
        map: new Map([['password', canary]]),
        bytes: Buffer.from(canary),
      }),
    ).join();
    expect(line).not.toContain(canary);
    expect(line).toContain('visible');
  });

  it('W3 hide the secrets of webhooks and of push channels', () => {
    const canary = 'canary-3c1d';
    const line = lines((logger) =>
      logger.info({
        endpoint: { endpointSecret: canary, secrets: { active: canary, retiring: [] }, signingSecret: canary },
        headers: { 'X-Goog-Channel-Token': canary, 'x-goog-channel-id': 'visible' },
        body: { value: [{ clientState: canary }] },
        query: { validationToken: canary },
        SVIX_TOKEN: canary,
        err: new Error(`422: {"input":"whsec_${canary}+/="}`),
      }),
    ).join();
    expect(line).not.toContain(canary);
    expect(line).toContain('visible');
    expect(line).toContain('422');
  });

  it('N55 reduce errors to name, message, code and stack', () => {
    const canary = 'canary-91bc';
    const cause = Object.assign(new Error(`GET https://user:${canary}@dav.example/x?token=${canary} failed`), {
      config: { headers: { authorization: canary } },
      code: 'ECONNRESET',
    });
    const line = lines((logger) => logger.error({ err: new Error('outer', { cause }), other: cause })).join();
    expect(line).not.toContain(canary);
    expect(lines((logger) => logger.error(cause)).join()).not.toContain(canary);
    expect(lines((logger) => logger.error({ err: cause })).join()).not.toContain(canary);
    expect(JSON.parse(line)).toMatchObject({
      err: {
        type: 'Error',
        message: 'outer',
        cause: { code: 'ECONNRESET', message: 'GET https://dav.example/x failed' },
      },
    });
  });

  it('say so when something else than an error was thrown, without repeating it', () => {
    expect(loggedError('a string with secrets')).toEqual({
      type: 'string',
      message: 'something that is no Error was thrown',
    });
  });
});
