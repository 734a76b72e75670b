import { relativeTime } from './time-text.js';

const NOW = Date.parse('2026-11-21T12:00:00Z');

describe('relativeTime', () => {
  it.each([
    ['2026-11-21T11:59:01Z', 'now'],
    ['2026-11-21T12:00:59Z', 'now'],
    ['2026-11-21T11:59:00Z', '1 minute ago'],
    ['2026-11-21T10:01:00Z', '1 hour ago'],
    ['2026-11-20T12:00:00Z', 'yesterday'],
    ['2026-11-28T12:00:00Z', 'in 7 days'],
    ['2024-11-21T12:00:00Z', 'last year'],
  ])('tells %s as "%s"', (at, text) => {
    expect(relativeTime(at, NOW)).toBe(text);
  });
});
