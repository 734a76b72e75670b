import type { HttpRequest } from './http/message.js';
import { Journal } from './journal.js';

const request = (query: string): HttpRequest => ({
  ...{ method: 'GET', path: '/tokeninfo', query: new URLSearchParams(query) },
  ...{ headers: {}, body: Buffer.alloc(0) },
});

describe('Journal', () => {
  it('tells when, and what, without secrets', () => {
    const journal = new Journal({ nowMs: () => 0 });
    journal.violation(request('access_token=ya29.x&q=a b'), null, 'wrong');
    expect(journal.violations).toEqual([
      {
        ...{ at: '1970-01-01T00:00:00.000Z', methodId: null, message: 'wrong' },
        request: 'GET /tokeninfo?access_token=redacted&q=a+b',
      },
    ]);
  });

  it('keeps the newest 10,000 requests', () => {
    const journal = new Journal({ nowMs: () => 0 });
    for (let n = 0; n <= 10_000; n += 1) {
      journal.request(request(`n=${n}`), { kind: 'tokeninfo', methodId: null, user: null });
    }
    expect([journal.requests.length, journal.requests[0]?.query]).toEqual([10_000, 'n=1']);
  });
});
