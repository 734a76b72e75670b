import { describe, expect, it } from '@jest/globals';
import type { AccountDetail } from '#operator-api';
import { nextStep } from './next-step.js';

const WORKS: AccountDetail['health'] = { checkedAt: null, nextCheckAt: null, lastFailure: null };
const FAILS: AccountDetail['health'] = {
  ...WORKS,
  lastFailure: { at: '2026-11-21T12:00:00Z', reason: 'x', explanation: 'x' },
};

describe('nextStep', () => {
  it('asks for nothing while the account works', () => {
    expect(nextStep({ status: 'ACTIVE', providerType: 'GOOGLE', health: WORKS })).toBeNull();
  });

  it('waits for the next check while only one failed', () => {
    expect(nextStep({ status: 'ACTIVE', providerType: 'GOOGLE', health: FAILS })).toMatch(/next check/);
  });

  it.each([
    ['GOOGLE', /reconnect link/],
    ['MICROSOFT', /reconnect link/],
    ['APPLE', /with the password that the person has now/],
    ['CALDAV', /with the password that the person has now/],
  ] as const)('says how an expired account of %s works again', (providerType, step) => {
    expect(nextStep({ status: 'EXPIRED', providerType, health: FAILS })).toMatch(step);
  });

  it('hopes for nobody who is gone', () => {
    const health = { ...FAILS, lastFailure: { at: '2026-11-21T12:00:00Z', reason: 'user_deleted', explanation: 'x' } };
    expect(nextStep({ status: 'EXPIRED', providerType: 'MICROSOFT', health })).toMatch(/delete the account/);
  });
});
