import { DISABLE_AFTER_MS, shouldDisable } from './delivery-policy.js';

const SINCE = new Date(Date.UTC(2026, 10, 1));

describe('health of an endpoint', () => {
  it('W12 is dead after five days of nothing but failures', () => {
    expect(DISABLE_AFTER_MS).toBe(5 * 86_400_000);
    expect(shouldDisable(SINCE, SINCE.getTime() + DISABLE_AFTER_MS - 1)).toBe(false);
    expect(shouldDisable(SINCE, SINCE.getTime() + DISABLE_AFTER_MS)).toBe(true);
  });

  it('W12 is not dead when its last attempt succeeded, nor F34 when the clock was set back', () => {
    expect(shouldDisable(null, SINCE.getTime())).toBe(false);
    expect(shouldDisable(SINCE, SINCE.getTime() - DISABLE_AFTER_MS)).toBe(false);
  });
});
