import { describe, expect, it } from '@jest/globals';
import { AdaptiveConcurrencyLimit } from './concurrency-limit.js';

const TICK_MS = 10;

/** A limit and a clock that beats. */
function fixture(most = 1_000) {
  const limit = new AdaptiveConcurrencyLimit({ most, targetMs: 10 });
  limit.begin(0);
  let nowMs = 0;
  return {
    limit,
    /** Beats for `forMs`, each of them late by what `lateMs` says. */
    run(forMs: number, lateMs: (tick: number) => number, isReached = false): void {
      const endsAtMs = nowMs + forMs;
      for (let tick = 0; nowMs < endsAtMs; tick += 1) {
        const late = lateMs(tick);
        nowMs += TICK_MS + late;
        if (isReached) limit.recordReached();
        limit.tick(nowMs, late);
      }
    },
  };
}

describe('F39 the limit of requests at a time', () => {
  it('is all there is while timers are on time', () => {
    const { limit, run } = fixture();
    run(10_000, () => 9);
    expect(limit.current).toBe(1_000);
  });

  it.each([
    ['a late beat, however late', 20, () => 900],
    ['a burst', 350, () => 40],
    ['a pause now and then', 5_000, (tick: number) => (tick % 2 === 0 ? 0 : 80)],
  ])('is not touched by %s: what is short is worked off', (_, forMs, lateMs) => {
    const { limit, run } = fixture();
    run(100, () => 0);
    run(forMs, lateMs);
    expect(limit.current).toBe(1_000);
  });

  it('falls when all beats have been late for a while, to a fourth at first and to the least within a second', () => {
    const { limit, run } = fixture();
    run(450, () => 40);
    expect(limit.current).toBe(250);
    run(800, () => 40);
    expect(limit.current).toBe(2);
  });

  it('falls the slower the nearer it is to the target', () => {
    const { limit, run } = fixture();
    run(650, () => 12);
    expect(limit.current).toBeCloseTo(1_000 * (10 / 12) ** 3, 0);
  });

  it('rises while it keeps requests out and timers are on time again', () => {
    const { limit, run } = fixture();
    run(2_000, () => 40);
    run(500, () => 0, true);
    expect(limit.current).toBeGreaterThan(20);
    expect(limit.current).toBeLessThan(110);
  });

  it('stays where nobody reaches it, until it has been calm for a second', () => {
    const { limit, run } = fixture();
    run(2_000, () => 40);
    run(900, () => 0);
    expect(limit.current).toBe(2);
    run(200, () => 0);
    expect(limit.current).toBe(1_000);
  });

  it('does not let in at once what it has kept out for a second without being late', () => {
    const { limit, run } = fixture();
    run(2_000, () => 40);
    run(1_500, (tick) => (tick % 10 === 0 ? 0 : 9), true);
    expect(limit.current).toBeLessThan(250);
    run(900, () => 0);
    expect(limit.current).toBeLessThan(250);
    run(200, () => 0);
    expect(limit.current).toBe(1_000);
  });

  it('never rises above the most', () => {
    const { limit, run } = fixture(10);
    run(600, () => 40);
    run(900, () => 0, true);
    expect(limit.current).toBe(10);
  });

  /**
   * A process that does 1,000 requests a second, a millisecond of work each. It reads what has come, does it all, and looks
   * at its timers in between. What is turned away is answered when it is read.
   */
  function overloaded(times: number) {
    const limit = new AdaptiveConcurrencyLimit({ most: 2_000, targetMs: 10 });
    limit.begin(0);
    let nowMs = 0;
    let dueMs = TICK_MS;
    let tickMs = 1;
    return (forMs: number) => {
      const startMs = nowMs;
      let done = 0;
      let maxTickMs = 0;
      while (nowMs - startMs < forMs) {
        const came = tickMs * times;
        const taken = Math.min(came, Math.floor(limit.current));
        if (taken < came) limit.recordReached();
        tickMs = Math.max(1, taken);
        done += taken;
        nowMs += tickMs;
        maxTickMs = Math.max(maxTickMs, tickMs);
        if (nowMs < dueMs) continue;
        limit.tick(nowMs, nowMs - dueMs);
        dueMs = nowMs + TICK_MS;
      }
      return { perSecond: (done * 1_000) / (nowMs - startMs), maxTickMs };
    };
  }

  it.each([3, 30])('settles at %d times the load where the process is always busy and answers at once', (times) => {
    const run = overloaded(times);
    run(10_000);
    const { perSecond, maxTickMs } = run(10_000);
    expect(perSecond).toBeGreaterThan(950);
    expect(maxTickMs).toBeLessThan(50);
  });
});
