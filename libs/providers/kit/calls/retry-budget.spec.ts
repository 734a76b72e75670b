import { RetryBudget } from './retry-budget.js';

describe('F25 RetryBudget', () => {
  it('lets a tenth of the traffic be repeated, besides what is saved', () => {
    const budget = new RetryBudget(() => 0);
    let repeats = 0;
    for (let call = 0; call < 1_000; call += 1) {
      budget.earn();
      if (budget.take()) repeats += 1;
    }
    expect(repeats).toBeGreaterThanOrEqual(100);
    expect(repeats).toBeLessThanOrEqual(110);
  });

  it('fills again in a quiet time, and no further than it was', () => {
    let nowMs = 0;
    const budget = new RetryBudget(() => nowMs);
    const drain = () => {
      let taken = 0;
      while (budget.take()) taken += 1;
      return taken;
    };
    expect(drain()).toBe(10);
    nowMs += 30_000;
    expect(drain()).toBe(3);
    nowMs += 3_600_000;
    expect(drain()).toBe(10);
  });
});
