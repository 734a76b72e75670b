import { retryAfterMs } from './retry-after.js';

const NOW = Date.UTC(2026, 10, 21, 12);

describe('retryAfterMs', () => {
  it.each([
    ['7', 7_000],
    [' 0 ', 0],
    ['1.5', 1_500],
    ['Sat, 21 Nov 2026 12:00:05 GMT', 5_000],
    ['Sat, 21 Nov 2026 11:59:00 GMT', 0],
    ['999999999', 3_600_000],
  ])('reads %s', (header, ms) => expect(retryAfterMs(header, NOW)).toBe(ms));

  it.each([undefined, '', 'soon', '-1', '1e3', '0x10', '1.', '.5', 'Sat, no date'])('takes %s for none', (header) =>
    expect(retryAfterMs(header, NOW)).toBeNull(),
  );
});
