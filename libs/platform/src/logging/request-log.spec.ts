import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLogger, runInContext, type RequestContext } from '#platform';
import { RequestLog, type RequestRecord } from './request-log.js';

const HOSTILE = 'a\r\n{"level":"fatal"}\u001b[31m\u0000\u2028\ud800 ä "\\';
const REQUEST: RequestRecord = { method: 'GET', route: '/api/v1/x', status: 200, durationMs: 1.5 };

function lines(level = 'info') {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  const logger = createLogger({ service: 'api', level, destination });
  return { written, logger, log: new RequestLog(logger, 'api', destination) };
}

describe('RequestLog', () => {
  beforeEach(() => void jest.useFakeTimers({ now: Date.UTC(2026, 10, 21, 9, 30) }));
  afterEach(() => void jest.useRealTimers());

  it.each<[string, RequestContext, RequestRecord, string]>([
    ['little is known', { requestId: 'r1' }, REQUEST, 'request'],
    [
      'everything is known',
      { requestId: 'r1', traceId: '4bf92f35', applicationId: 'a1', accountId: 'b2' },
      { method: 'DELETE', route: '/', status: 499, durationMs: 12_000 },
      'request aborted by the caller',
    ],
    [
      'N57 every text is hostile',
      { requestId: HOSTILE, traceId: HOSTILE, applicationId: HOSTILE, accountId: HOSTILE },
      { ...REQUEST, method: HOSTILE, route: HOSTILE },
      HOSTILE,
    ],
  ])('writes what the logger would when %s', (_, context, record, message) => {
    const { written, logger, log } = lines();
    runInContext(context, () => logger.info(record, message));
    log.write(context, record, message);
    expect(written).toHaveLength(2);
    expect(written[1]).toBe(written[0]);
  });

  it('writes nothing else of the context', () => {
    const { written, log } = lines();
    log.write({ requestId: 'r1', caller: 'canary' } as RequestContext, REQUEST, 'request');
    expect(written.join('')).not.toContain('canary');
  });

  it('is on when the level lets `info` through', () => {
    expect(lines('info').log.isOn).toBe(true);
    expect(lines('warn').log.isOn).toBe(false);
  });
});
