import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/processes.js';
import { startHttpApp, type HttpApp } from '../../support/http-app.js';

const AT_ONCE = 8;
const READ = '/api/v1/calendars/a/c';
const PUSH = '/api/v1/providers/google/notifications';

let http: HttpApp;
let release: () => void;
let held: Promise<unknown>[] = [];

beforeAll(async () => {
  http = await startHttpApp({ maxRequestsInFlight: AT_ONCE, publicUrl: 'https://calendar.example' });
});
afterAll(() => http.close());
afterEach(async () => {
  release();
  await Promise.all(held);
});

/** As many requests as there may be, which end when they are released. */
async function fill(): Promise<void> {
  let begun = 0;
  const gate = new Promise<void>((resolve) => (release = resolve));
  http.fakes.calendars.get = async () => {
    begun += 1;
    await gate;
    return { id: 'c' };
  };
  held = Array.from({ length: AT_ONCE }, () => http.call('GET', READ));
  await eventually('all have begun', () => (begun === AT_ONCE ? true : undefined));
}

describe('F39 a process that has as much to do as it can', () => {
  it('turns the next request away in the envelope, with the headers of every answer', async () => {
    await fill();
    const { status, headers, body } = await http.call('GET', READ, { headers: { 'x-request-id': 'say "again"' } });
    expect(status).toBe(503);
    expect(body).toEqual({
      error: 'Overloaded',
      code: 'Overloaded',
      message: 'More requests came than this instance can answer. Try again.',
      requestId: 'say "again"',
    });
    expect(headers.get('retry-after')).toBe('1');
    expect(headers.get('x-request-id')).toBe('say "again"');
    release();
    const answered = await http.call('GET', '/api/v1/nope');
    const names = (of: Headers) => [...of.keys()].filter((name) => name !== 'retry-after');
    expect(names(headers)).toEqual(names(answered.headers));
    for (const name of ['content-security-policy', 'strict-transport-security', 'cache-control', 'ratelimit-policy']) {
      expect([name, headers.get(name)]).toEqual([name, answered.headers.get(name)]);
    }
  });

  it('takes the next one when it has answered one', async () => {
    await fill();
    expect((await http.call('GET', READ)).status).toBe(503);
    release();
    await Promise.all(held);
    expect((await http.call('GET', READ)).status).toBe(200);
  });

  it('has room for probes and for the pushes of providers', async () => {
    await fill();
    http.fakes.notifications.take = async () => ({ forged: 0 });
    const push = { headers: { 'x-goog-channel-id': 'channel', 'x-goog-resource-state': 'exists' } };
    expect((await http.call('POST', PUSH, push)).status).not.toBe(503);
    for (const probe of ['live', 'ready']) expect((await http.call('GET', `/health/${probe}`)).status).toBe(200);
  });

  it.each([
    ['keeps the connection for a short body', 1_000, 'keep-alive'],
    ['does not read a long body to its end', 300_000, 'close'],
  ])('%s', async (_, length, connection) => {
    await fill();
    const { status, headers } = await http.call('POST', '/api/v1/events/a/c', { raw: 'x'.repeat(length) });
    expect([status, headers.get('connection')]).toEqual([503, connection]);
  });
});
