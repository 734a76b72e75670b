import { jest } from '@jest/globals';
import { KEY, startHttpApp, type HttpApp } from '../../support/http-app.js';

let http: HttpApp;
beforeAll(async () => {
  http = await startHttpApp();
});
afterAll(() => http.close());

const ACCOUNT = '/api/v1/endUserAccounts/a';

describe('a successful answer', () => {
  beforeEach(() => {
    http.fakes.accounts.get = jest.fn(async () => ({ id: 'a', email: 'zoë@example.test' }));
  });

  it('is JSON in UTF-8 with its length in bytes', async () => {
    const { status, headers, body } = await http.call('GET', ACCOUNT);
    expect([status, body]).toEqual([200, { id: 'a', email: 'zoë@example.test' }]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength('{"id":"a","email":"zoë@example.test"}')));
    expect(headers.get('etag')).toBeNull();
  });

  it('to HEAD has the same headers and no body', async () => {
    const get = await http.call('GET', ACCOUNT);
    // One connection: a body that should not be there would be taken for the start of the next answer.
    for (let i = 0; i < 3; i++) {
      const head = await fetch(http.base + ACCOUNT, { method: 'HEAD', headers: { 'x-api-key': KEY } });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, get.headers.get('content-length')]);
    }
  });

  it('can be a list', async () => {
    http.fakes.freeBusy.query = jest.fn(async () => []);
    const body = {
      startDateTime: '2026-11-21T00:00:00Z',
      endDateTime: '2026-11-22T00:00:00Z',
      calendarIds: ['c'],
      timeZone: 'UTC',
    };
    const response = await http.call('POST', '/api/v1/freeBusy/a', { body });
    expect([response.status, response.body]).toEqual([200, []]);
  });

  it('to If-None-Match: * says that there is something (RFC 9110 §13.1.2)', async () => {
    const { status, body } = await http.call('GET', ACCOUNT, {
      headers: { 'if-none-match': '*', 'cache-control': 'max-age=0' },
    });
    expect([status, body]).toEqual([304, '']);
  });

  it('that cannot be written down is an error like any other', async () => {
    http.fakes.accounts.get = jest.fn(async () => ({ id: 1n }));
    const { status, body } = await http.call('GET', ACCOUNT);
    expect([status, body.code]).toEqual([500, 'InternalServerError']);
  });
});
