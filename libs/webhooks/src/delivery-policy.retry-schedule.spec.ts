import fc from 'fast-check';
import { MAX_RETRY_AFTER_MS, retryDelayMs, RETRY_STEPS_MS } from './delivery-policy.js';

const HOUR = 3_600_000;
const attempts = RETRY_STEPS_MS.map((_, index) => index + 1);
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('retryDelayMs', () => {
  it('W5 waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, then gives up', () => {
    const even = { retryAfterMs: null, random: () => 0.5 };
    expect(attempts.map((attempt) => retryDelayMs(attempt, even))).toEqual([
      5_000,
      300_000,
      1_800_000,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      10 * HOUR,
    ]);
    expect([8, 9, 1_000].map((attempt) => retryDelayMs(attempt, even))).toEqual([null, null, null]);
  });

  it('W5 spreads each wait over ±20 % of it', () => {
    for (const attempt of attempts) {
      const step = RETRY_STEPS_MS[attempt - 1]!;
      const delays = [0, 0.25, 0.75, 1 - Number.EPSILON].map((value) =>
        retryDelayMs(attempt, { retryAfterMs: null, random: () => value }),
      );
      expect(delays).toEqual([80, 90, 110, 120].map((percent) => (percent * step) / 100));
    }
  });

  it('W5 takes 27 h 35 min 5 s ± 20 % in all, each wait as long as the one before up to jitter', () => {
    fc.assert(
      fc.property(fc.infiniteStream(random), (values) => {
        const next = () => values.next().value as number;
        const delays = attempts.map((attempt) => retryDelayMs(attempt, { retryAfterMs: null, random: next })!);
        const total = delays.reduce((sum, delay) => sum + delay);
        expect(Math.abs(total / (27 * HOUR + 2_105_000) - 1)).toBeLessThanOrEqual(0.2);
        for (const [index, delay] of delays.entries()) {
          expect(delay / 0.8).toBeGreaterThanOrEqual((delays[index - 1] ?? 0) / 1.2);
          expect(Number.isInteger(delay)).toBe(true);
        }
      }),
    );
  });

  it('W6 waits max(step, min(hint, 24 h)): never shorter than without a hint, never longer than 24 h', () => {
    fc.assert(
      fc.property(fc.constantFrom(...attempts), random, fc.nat({ max: 100 * 24 * HOUR }), (attempt, value, hint) => {
        const without = retryDelayMs(attempt, { retryAfterMs: null, random: () => value })!;
        const delay = retryDelayMs(attempt, { retryAfterMs: hint, random: () => value });
        expect(delay).toBe(Math.max(without, Math.min(hint, MAX_RETRY_AFTER_MS)));
        expect(delay).toBeLessThanOrEqual(24 * HOUR);
      }),
    );
    expect(retryDelayMs(8, { retryAfterMs: HOUR, random: () => 0 })).toBeNull();
  });

  it.each([0, -1, 1.5, Number.NaN])('knows no attempt %s', (attempt) =>
    expect(() => retryDelayMs(attempt, { retryAfterMs: null, random: () => 0 })).toThrow(RangeError),
  );
});
