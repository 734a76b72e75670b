import { describe, expect, it } from '@jest/globals';
import { lastFailureOf } from './accounts.service.js';

const SINCE = new Date('2026-11-21T09:30:00Z');
const REFUSED = new Date('2026-11-21T09:45:00Z');
const works = { status: 'ACTIVE' as const, statusReason: null, statusSince: SINCE, rejectedAt: null };

describe('lastFailureOf', () => {
  it('is null while the account works, connected anew or not', () => {
    expect(lastFailureOf(works)).toBeNull();
    expect(lastFailureOf({ ...works, statusReason: 'reconnected' })).toBeNull();
  });

  it.each([
    ['invalid_grant', 'sign in again'],
    ['consent_revoked', 'consent'],
    ['user_deleted', 'no such user'],
    ['password_rejected', 'present password'],
  ])('says since when an EXPIRED account does not work, and in words why: %s', (reason, words) => {
    const failure = lastFailureOf({ ...works, status: 'EXPIRED', statusReason: reason });
    expect(failure).toMatchObject({ at: SINCE, reason });
    expect(failure?.explanation).toContain(words);
  });

  it('tells of a password that was refused and not yet again', () => {
    const failure = lastFailureOf({ ...works, rejectedAt: REFUSED });
    expect(failure).toMatchObject({ at: REFUSED, reason: 'rejection_unconfirmed' });
    expect(failure?.explanation).toContain('tried again');
  });

  it('says of the status what it is, and not what was noticed before', () => {
    const expired = { ...works, status: 'EXPIRED' as const, statusReason: 'password_rejected', rejectedAt: REFUSED };
    expect(lastFailureOf(expired)?.reason).toBe('password_rejected');
  });

  it.each([null, 'of a later version', 'constructor'])('has words for a reason that it does not know: %p', (reason) => {
    const failure = lastFailureOf({ ...works, status: 'EXPIRED', statusReason: reason });
    expect(failure).toEqual({
      at: SINCE,
      reason: reason ?? 'unknown',
      explanation: expect.stringContaining('connect the account again'),
    });
  });
});
