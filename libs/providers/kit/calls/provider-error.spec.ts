import { retryAfterMs } from './provider-error.js';

describe('retryAfterMs', () => {
  it.each([
    ['7', 7_000],
    ['Sat, 21 Nov 2026 12:00:05 GMT', 5_000],
    ['999999999', 3_600_000],
    ['soon', null],
    [undefined, null],
  ])('reads %s, and believes at most an hour', (header, ms) =>
    expect(retryAfterMs(header, Date.UTC(2026, 10, 21, 12))).toBe(ms),
  );
});
