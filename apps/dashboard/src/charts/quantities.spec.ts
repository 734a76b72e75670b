import { expect, it } from '@jest/globals';
import { count, milliseconds, seconds, share } from './quantities.js';

it('groups the digits of counts', () => {
  expect(count(1_234_567)).toBe('1,234,567');
});

it('tells shares, also of nothing', () => {
  expect(share(1, 8)).toBe('12.5%');
  expect(share(0, 0)).toBe('0%');
});

it.each([
  [0.4, '0 ms'],
  [999, '999 ms'],
  [999.7, '1 s'],
  [1_240, '1.2 s'],
  [9_960, '10 s'],
  [15_004, '15 s'],
])('says %d milliseconds as %s', (value, text) => {
  expect(milliseconds(value)).toBe(text);
});

it.each([
  [0, '0 s'],
  [59.9, '59 s'],
  [60, '1 min'],
  [3_600, '1 h'],
  [7_500, '2 h 5 min'],
  [86_400, '1 d'],
  [356_400, '4 d 3 h'],
])('says %d seconds as %s', (value, text) => {
  expect(seconds(value)).toBe(text);
});
