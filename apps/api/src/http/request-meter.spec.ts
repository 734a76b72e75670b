import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import type { CompletedRequest } from '#domain/system';
import { ApiContext } from './api-context.js';
import { RequestMeter } from './request-meter.js';

const ID = '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5';
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

function watched(answer: Partial<Response>, change: (context: ApiContext) => void = () => undefined, isOn = true) {
  const recorded: CompletedRequest[] = [];
  const meter = new RequestMeter({ isOn, record: (request) => void recorded.push(request) }, 'https');
  const url = `/api/v1/calendars/${ID}?search=secret`;
  const request = { method: 'GET', url, route: { path: '/api/v1/calendars/:endUserAccountId' } } as unknown as Request;
  const response = Object.assign(new EventEmitter(), { headersSent: true, writableFinished: true, ...answer });
  const context = new ApiContext('r1');
  meter.watch(request, response as unknown as Response, context, TRACE_ID);
  change(context);
  expect(recorded).toEqual([]);
  response.emit('close');
  return recorded;
}

const authenticate = (context: ApiContext): void => {
  context.caller = { applicationId: 'a', keyId: 'k', scopes: [] };
  context.accountId = ID;
};

describe('RequestMeter', () => {
  it('records a request once it was answered, with what its guard has found out', () => {
    const recorded = watched({ statusCode: 404 }, (context) => {
      authenticate(context);
      context.errorCode = 'NotFound';
    });
    expect(recorded).toEqual([
      {
        requestId: 'r1',
        startedAt: expect.any(Date),
        method: 'GET',
        route: '/v1/calendars/:endUserAccountId',
        status: 404,
        errorCode: 'NotFound',
        durationMs: expect.any(Number),
        applicationId: 'a',
        apiKeyId: 'k',
        accountId: ID,
        traceId: TRACE_ID,
      },
    ]);
    expect(JSON.stringify(recorded)).not.toContain('secret');
  });

  it('records no account of a request without a proven key', () => {
    const recorded = watched({ statusCode: 401 }, (context) => void (context.accountId = ID));
    expect(recorded).toEqual([
      expect.objectContaining({ status: 401, applicationId: null, apiKeyId: null, accountId: null, errorCode: null }),
    ]);
  });

  it('records that the caller did not wait', () => {
    const recorded = watched({ headersSent: false, writableFinished: false }, authenticate);
    expect(recorded).toEqual([expect.objectContaining({ status: 499, accountId: ID })]);
  });

  it('records nothing when the request log is switched off', () => {
    const recorded = watched({ statusCode: 200 }, authenticate, false);
    expect(recorded).toEqual([]);
  });
});
