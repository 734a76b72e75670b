import { expect, it } from '@jest/globals';
import { fromLocalField, toLocalField } from './local-time.js';

it('comes back to the same instant, to the minute', () => {
  expect(fromLocalField(toLocalField('2026-11-21T14:05:00.000Z'))).toBe('2026-11-21T14:05:00.000Z');
  expect(toLocalField('2026-01-02T03:04:59Z')).toMatch(/^2026-01-\d\dT\d\d:04$/);
});

it.each([undefined, '', 'yesterday'])('shows nothing for %j', (instant) => {
  expect(toLocalField(instant)).toBe('');
});

it.each(['', '2026-13-40T99:99'])('takes %j for no time', (field) => {
  expect(fromLocalField(field)).toBe('');
});
