import fc from 'fast-check';
import { LEASE_MS, requestRate } from './provider-rate-limiter.js';

/** Times at which GCRA lets requests through that are asked for as fast as possible, in milliseconds. */
function granted(requestsPerMinute: number, forMs: number): number[] {
  const { intervalMs, burst } = requestRate(requestsPerMinute);
  const times: number[] = [];
  let arrival = 0;
  for (let now = 0; now < forMs;) {
    arrival = Math.max(arrival, now) + intervalMs;
    now = Math.max(now, arrival - burst * intervalMs);
    if (now < forMs) times.push(now);
  }
  return times;
}

describe('requestRate', () => {
  it('never lets more through in a minute than asked for, late use of leases included', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), (limit) => {
        const times = granted(limit, 130_000);
        for (let first = 0; first + limit < times.length; first += 1) {
          // The first of them may be sent a lease later, the last at once.
          const span = (times[first + limit] as number) - ((times[first] as number) + LEASE_MS);
          expect(span).toBeGreaterThanOrEqual(60_000 - 0.001);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('gives the whole minute to an account at rest', () => {
    const inFirstMinute = granted(240, 62_001).length;
    expect(inFirstMinute).toBeGreaterThanOrEqual(240);
    expect(granted(240, 1).length).toBe(60);
  });

  it.each([0, -1, Number.NaN])('refuses %p', (limit) => {
    expect(() => requestRate(limit)).toThrow(RangeError);
  });
});
