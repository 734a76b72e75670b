import { believableEnd } from './channels.js';

const NOW_MS = Date.UTC(2026, 10, 21);
const WEEK_MS = 604_800_000;

describe('believableEnd', () => {
  it('is the time that the provider says', () => {
    expect(believableEnd(NOW_MS + WEEK_MS, NOW_MS)).toEqual(new Date('2026-11-28T00:00:00Z'));
    expect(believableEnd(NOW_MS + 1, NOW_MS)).toEqual(new Date(NOW_MS + 1));
  });

  it.each([Number.NaN, -1, 0, NOW_MS, Infinity, 8.7e15, NOW_MS + 53 * WEEK_MS])('does not believe %d', (endsAtMs) => {
    expect(believableEnd(endsAtMs, NOW_MS)).toBeNull();
  });
});
