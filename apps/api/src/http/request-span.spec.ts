import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import type { ErrorCode } from '#domain/system';
import { recordSpans } from '#platform/testing/recorded-spans';
import { ApiContext } from './api-context.js';
import { addressOf, openRequestSpan } from './request-span.js';

const ADDRESS = addressOf('https://calendar.example.com/');

describe('the span of a request', () => {
  let recorded: ReturnType<typeof recordSpans>;
  beforeEach(() => void (recorded = recordSpans()));
  afterEach(() => recorded.stop());

  /** @param status null: nobody waited for the answer */
  function spanOf(route: string | undefined, status: number | null, errorCode?: ErrorCode) {
    const response = Object.assign(new EventEmitter(), { headersSent: status !== null, statusCode: status ?? 200 });
    const context = new ApiContext('id');
    if (errorCode !== undefined) context.errorCode = errorCode;
    const request = {
      method: 'GET',
      url: '/api/v1/events/canary/canary@example.com?q=canary',
      httpVersion: '1.1',
      headers: { host: 'canary.example.com', 'user-agent': 'canary' },
      ...(route !== undefined && { route: { path: route } }),
    };
    openRequestSpan(request as unknown as Request, response as unknown as Response, context, ADDRESS);
    response.emit('close');
    return recorded.spans().at(-1)!;
  }

  const KNOWN = {
    'http.request.method': 'GET',
    'network.protocol.version': '1.1',
    'url.scheme': 'https',
    'server.address': 'calendar.example.com',
    'server.port': 443,
  };
  const ROUTE = '/api/v1/events/:endUserAccountId/:calendarId';

  it('has the attributes of the conventions, and of the path nothing that a caller wrote', () => {
    expect(spanOf(ROUTE, 200)).toMatchObject({
      name: `GET ${ROUTE}`,
      kind: 'SERVER',
      isFailed: false,
      attributes: {
        ...KNOWN,
        'http.route': ROUTE,
        'url.path': '/api/v1/events/REDACTED/REDACTED',
        'http.response.status_code': 200,
      },
    });
    expect(JSON.stringify(recorded.spans())).not.toContain('canary');
  });

  it('names no route where there is none', () => {
    const { name, attributes } = spanOf(undefined, 404, 'NotFound');
    expect([name, attributes]).toEqual([
      'GET',
      { ...KNOWN, 'url.path': '/api/REDACTED', 'http.response.status_code': 404, 'calendar.error.code': 'NotFound' },
    ]);
  });

  it('fails with an answer that is a failure, and when the caller left: that was no answer', () => {
    expect(spanOf(ROUTE, 502, 'ProviderUnavailable')).toMatchObject({
      isFailed: true,
      attributes: { 'http.response.status_code': 502, 'error.type': 'ProviderUnavailable' },
    });
    const left = spanOf(ROUTE, null);
    expect([left.isFailed, left.attributes['error.type'], left.attributes['http.response.status_code']]).toEqual([
      true,
      'callerLeft',
      undefined,
    ]);
  });

  it.each([
    ['http://localhost:3000', 'http', 'localhost', 3000],
    ['http://calendar', 'http', 'calendar', 80],
    ['https://calendar.example.com', 'https', 'calendar.example.com', 443],
  ])('is served at what %s says', (url, scheme, address, port) => {
    expect(addressOf(url)).toEqual({ 'url.scheme': scheme, 'server.address': address, 'server.port': port });
  });
});
