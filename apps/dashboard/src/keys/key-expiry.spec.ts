import { describe, expect, it } from '@jest/globals';
import type { Api } from '../api/index.js';
import { byUrgency, expiresOf, keyState } from './key-expiry.js';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');

function key(given: Partial<Api.ApiKey>): Api.ApiKey {
  return {
    id: 'a',
    name: 'a',
    prefix: 'uck_00000000',
    scopes: ['read'],
    createdAt: '2026-01-01T00:00:00Z',
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
    ...given,
  };
}

describe('keyState', () => {
  it.each([
    ['active', null, null],
    ['active', '2026-12-05T12:00:00.001Z', null],
    ['ending', '2026-12-05T12:00:00.000Z', null],
    ['ending', '2026-11-21T12:00:00.001Z', null],
    ['expired', '2026-11-21T12:00:00.000Z', null],
    ['revoked', '2026-12-31T00:00:00.000Z', '2026-11-20T00:00:00Z'],
  ])('is %s with the end %s, revoked %s', (state, expiresAt, revokedAt) => {
    expect(keyState({ expiresAt, revokedAt }, NOW_MS)).toBe(state);
  });
});

describe('byUrgency', () => {
  it('puts what works and what ends first before the rest, then what is newest', () => {
    const keys = [
      key({ id: 'revoked', revokedAt: '2026-11-01T00:00:00Z' }),
      key({ id: 'expired', expiresAt: '2026-11-01T00:00:00Z' }),
      key({ id: 'old' }),
      key({ id: 'new', createdAt: '2026-06-01T00:00:00Z' }),
      key({ id: 'ending', expiresAt: '2026-11-22T00:00:00Z' }),
    ];
    expect(keys.sort(byUrgency(NOW_MS)).map(({ id }) => id)).toEqual(['ending', 'new', 'old', 'expired', 'revoked']);
  });
});

describe('expiresOf', () => {
  it('hands on a number of days, and never', () => {
    expect(expiresOf('30', '')).toBe('30');
    expect(expiresOf('never', '2027-01-01')).toBe('never');
  });

  it('ends with the chosen day, where the operator is', () => {
    expect(expiresOf('date', '2027-03-28')).toBe(new Date(2027, 2, 29).toISOString());
  });

  it('leaves what is no day to the API to refuse', () => {
    expect(expiresOf('date', '')).toBe('');
    expect(expiresOf('date', '2027-13-01')).toBe('2027-13-01');
  });
});
