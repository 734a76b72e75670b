import { describe, expect, it } from '@jest/globals';
import type { Api } from '../../api/index.js';
import { nextStep } from './next-step.js';

const WORKS: Api.AccountDetail['health'] = { checkedAt: null, nextCheckAt: null, lastFailure: null };
const FAILS: Api.AccountDetail['health'] = {
  ...WORKS,
  lastFailure: { at: '2026-11-21T12:00:00Z', reason: 'x', explanation: 'x' },
};

describe('nextStep', () => {
  it('asks for nothing while the account works', () => {
    expect(nextStep({ status: 'ACTIVE', health: WORKS }, 'oauth')).toBeNull();
  });

  it('waits for the next check while only one failed', () => {
    expect(nextStep({ status: 'ACTIVE', health: FAILS }, 'oauth')).toMatch(/next check/);
  });

  it.each([
    ['oauth', /reconnect link/],
    ['password', /with the password that the person has now/],
    ['url', /with the address that the person has now/],
  ] as const)('says how an expired account that connects by %s works again', (authentication, step) => {
    expect(nextStep({ status: 'EXPIRED', health: FAILS }, authentication)).toMatch(step);
  });

  it('hopes for nobody who is gone', () => {
    const health = { ...FAILS, lastFailure: { at: '2026-11-21T12:00:00Z', reason: 'user_deleted', explanation: 'x' } };
    expect(nextStep({ status: 'EXPIRED', health }, 'oauth')).toMatch(/delete the account/);
  });
});
