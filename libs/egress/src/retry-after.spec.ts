import fc from 'fast-check';
import { parseRetryAfter } from './retry-after.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const MAX = 86_400_000;

describe('parseRetryAfter', () => {
  it.each([
    ['7', 7_000],
    [' 0 ', 0],
    ['1.5', 1_500],
    ['Sat, 21 Nov 2026 12:00:05 GMT', 5_000],
    ['Sat, 21 Nov 2026 11:59:00 GMT', 0],
    ['Sat, 21 Nov 9026 12:00:00 GMT', MAX],
    ['86401', MAX],
    ['9'.repeat(400), MAX],
  ])('W6 reads %s', (header, ms) => expect(parseRetryAfter(header, NOW, MAX)).toBe(ms));

  it.each([undefined, '', 'soon', '-1', '1e3', '0x10', '1.', '.5', 'Infinity', 'NaN', '5, 5', 'Sat, no date'])(
    'W6 takes %s for none',
    (header) => expect(parseRetryAfter(header, NOW, MAX)).toBeNull(),
  );

  it('W6 says null or a wait within its bounds, whatever it is given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.bigInt().map(String)), (header) => {
        const ms = parseRetryAfter(header, NOW, MAX) ?? 0;
        expect(ms >= 0 && ms <= MAX).toBe(true);
      }),
    );
  });
});
