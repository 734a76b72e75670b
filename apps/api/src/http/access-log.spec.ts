import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { createLogger } from '#platform';
import { accessLog } from './access-log.js';
import { ApiContext, attachContext } from './api-context.js';

const ID = '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5';
const HOSTILE = 'a\r\n{"level":"fatal"}\u001b[31m\u0000\u2028 ä "\\';

/** The lines of one request that ends with `event`. */
function lines(
  answer: Partial<Response>,
  { event = 'finish', requestId = 'r1', method = 'GET', path = `/api/v1/calendars/${ID}?search=canary` } = {},
): Record<string, unknown>[] {
  const written: string[] = [];
  const logger = createLogger({
    service: 'api',
    level: 'info',
    destination: { write: (line) => void written.push(line) },
  });
  const request = { method, url: path, originalUrl: path, route: { path: '/api/v1/calendars/:endUserAccountId' } };
  const context = new ApiContext(requestId);
  context.accountId = ID;
  attachContext(request as unknown as Request, context);
  const response = Object.assign(new EventEmitter(), {
    headersSent: true,
    writableFinished: true,
    statusCode: 200,
    ...answer,
  });
  accessLog(logger)(request as unknown as Request, response as unknown as Response, () => undefined);
  response.emit(event);
  response.emit('close');
  return written.map((line) => JSON.parse(line));
}

describe('the access log', () => {
  it.each([200, 404, 500])('has one line of an answer, whatever its status: %s', (statusCode) => {
    expect(lines({ statusCode })).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        service: 'api',
        requestId: 'r1',
        accountId: ID,
        method: 'GET',
        route: '/api/v1/calendars/:endUserAccountId',
        status: statusCode,
        durationMs: expect.any(Number),
        msg: 'request',
      },
    ]);
  });

  it('says when the caller did not wait', () => {
    const left = { headersSent: false, writableFinished: false };
    expect(lines(left, { event: 'close' })).toEqual([
      expect.objectContaining({ status: 499, msg: 'request aborted by the caller' }),
    ]);
  });

  it('has no line of a probe', () => {
    expect(lines({}, { path: '/health/live' })).toEqual([]);
  });

  it('N57 has one line of a request whose texts are hostile', () => {
    expect(lines({}, { requestId: HOSTILE, method: HOSTILE })).toEqual([
      expect.objectContaining({ level: 'info', requestId: HOSTILE, method: HOSTILE }),
    ]);
  });
});
