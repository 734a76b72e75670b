import { findOperation, operations, routeOf } from './document.js';
import { findProblem } from './schemas.js';

describe('the OpenAPI document', () => {
  it('leads to every operation by its own path', () => {
    expect([...operations()].length).toBeGreaterThan(100);
    for (const operation of operations()) {
      const parameters = Object.fromEntries(operation.pathParameters.map((name) => [name, `${name}/?#@ é%2F=`]));
      const path = operation.path.replace(/\{([\w-]+)\}/g, (_, name: string) => encodeURIComponent(parameters[name]!));
      expect(routeOf(operation.httpMethod, path)).toEqual({ method: operation, path: parameters });
    }
  });

  it('has schemas that can be used, all of them', () => {
    for (const { body, answers } of operations()) {
      for (const schema of [...(body === null ? [] : [body.schema]), ...answers.values()]) {
        expect(() => findProblem(schema, null)).not.toThrow();
      }
    }
  });

  it.each([
    ['PUT', 'me/calendars', 'wrong-method'],
    ['GET', 'me/diary', 'unknown'],
    ['GET', 'me/calendars/', 'unknown'],
    ['GET', 'me/calendars/%E9', 'unknown'],
  ])('%s %s: %s', (httpMethod, path, routed) => {
    expect(routeOf(httpMethod, path)).toBe(routed);
  });

  it('wants TLS of receivers, except on this machine', () => {
    const schema = findOperation('createSubscription')?.body?.schema ?? {};
    const subscription = (notificationUrl: string) => ({
      ...{ changeType: 'created,updated', resource: 'me/events', clientState: 's', notificationUrl },
      expirationDateTime: '2026-11-28T06:40:00Z',
    });
    for (const url of ['https://hooks.example/a', 'http://127.0.0.1:9/a', 'http://localhost/a', 'http://[::1]:9/a']) {
      expect([url, findProblem(schema, subscription(url))]).toEqual([url, null]);
    }
    for (const url of ['http://hooks.example/a', 'http://127.0.0.1.hooks.example/a', 'ftp://localhost/a', 'x']) {
      expect([url, findProblem(schema, subscription(url))?.instancePath]).toEqual([url, '/notificationUrl']);
    }
  });
});
