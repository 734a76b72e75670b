import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { isInHistory, routeOf } from './routes.js';

describe('isRecorded', () => {
  it.each([
    ['GET', '/api/v1/endUserAccounts?search=x', true],
    ['GET', '/api/nothing/here', true],
    ['DELETE', '/api/operator/v1/session', true],
    ['POST', '/api/operator/v1/session', true],
    ['GET', '/api/operator/v1/overview', false],
    ['HEAD', '/api/operator/v1/overview', false],
    ['POST', '/api/v1/providers/google/notifications/x', false],
    ['GET', '/health/ready', false],
    ['GET', '/dashboard', false],
    ['GET', '/apiary', false],
  ])('%s %s: %s', (method, url, expected) => {
    expect(isInHistory(method, url)).toBe(expected);
  });
});

describe('routeOf', () => {
  const requestAt = (path: unknown) => ({ route: path === undefined ? undefined : { path } }) as Request;

  it('is the path with the names of its parameters', () => {
    expect(routeOf(requestAt('/api/v1/events/:endUserAccountId/:calendarId'))).toBe(
      '/v1/events/:endUserAccountId/:calendarId',
    );
  });

  it.each([[undefined], ['/health/ready'], [['/api/a', '/api/b']], [/api/]])('is * for %p', (path) => {
    expect(routeOf(requestAt(path))).toBe('*');
  });
});
