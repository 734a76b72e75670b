import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { startHttpApp, type HttpApp } from '../../support/http-app.js';

let http: HttpApp;

beforeAll(async () => {
  http = await startHttpApp();
});
afterAll(() => http.close());

it('gives requests and responses their prototypes when they are made, not when Express sees them', async () => {
  const seen: object[] = [];
  const note = (request: IncomingMessage, response: ServerResponse) =>
    seen.push(Object.getPrototypeOf(request) as object, Object.getPrototypeOf(response) as object);
  const server: Server = http.app.getHttpServer();
  server.prependListener('request', note); // before Express
  server.on('request', note); // after it
  await http.call('GET', '/api/v1/endUserAccounts?x=1');
  expect(seen).toHaveLength(4);
  const [request, response, requestAfter, responseAfter] = seen;
  expect(requestAfter).toBe(request);
  expect(responseAfter).toBe(response);
  expect(request).toHaveProperty('get');
  expect(response).toHaveProperty('status');
});
