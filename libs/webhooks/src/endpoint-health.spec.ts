import { DEAD_AFTER_MS, failingSince, isDead } from './endpoint-health.js';

const day = (number: number) => new Date(Date.UTC(2026, 10, number));

describe('health of an endpoint', () => {
  it('W12 fails since its first failure, and is dead after five days of nothing else', () => {
    let since = failingSince(null, 'retry', day(1));
    for (const number of [2, 3, 4, 5]) {
      since = failingSince(since, 'refused', day(number));
      expect([since, isDead(since, day(number).getTime())]).toEqual([day(1), false]);
    }
    expect(isDead(since, day(6).getTime() - 1)).toBe(false);
    expect(isDead(since, day(1).getTime() + DEAD_AFTER_MS)).toBe(true);
  });

  it('W12 starts anew with one success', () => {
    const recovered = failingSince(day(1), 'delivered', day(5));
    expect(recovered).toBeNull();
    expect(isDead(recovered, day(30).getTime())).toBe(false);
    expect(failingSince(recovered, 'retry', day(6))).toEqual(day(6));
  });

  it('does not change with an attempt that we broke off', () => {
    expect(failingSince(day(1), 'interrupted', day(2))).toEqual(day(1));
    expect(failingSince(null, 'interrupted', day(2))).toBeNull();
  });

  it('F34 takes the earlier of two instants when the clock was set back', () =>
    expect(failingSince(day(5), 'retry', day(2))).toEqual(day(2)));
});
