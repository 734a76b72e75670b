import type { EgressFailure } from '#egress';
import { classifyAttempt } from './delivery-policy.js';

const answered = (status: number, retryAfterMs: number | null = null) =>
  classifyAttempt({ status, failure: null, retryAfterMs });

describe('verdictOn', () => {
  it.each([200, 201, 202, 204, 299])('W7 takes %i for delivered', (status) =>
    expect(answered(status)).toEqual({ kind: 'delivered' }),
  );

  it.each([300, 301, 302, 303, 307, 308, 304, 400, 401, 404, 409, 422, 500, 501, 502, 504, 599, 999])(
    'W7 tries again after %i, when the schedule says',
    (status) => expect(answered(status, 60_000)).toEqual({ kind: 'retry', retryAfterMs: null }),
  );

  it.each([429, 503])('W6 minds the Retry-After of %i', (status) => {
    expect(answered(status, 60_000)).toEqual({ kind: 'retry', retryAfterMs: 60_000 });
    expect(answered(status)).toEqual({ kind: 'retry', retryAfterMs: null });
  });

  it('W7 ends with 410', () => expect(answered(410)).toEqual({ kind: 'gone' }));

  it.each<EgressFailure>(['dns', 'connect', 'tls', 'timeout', 'reset', 'invalid-response', 'too-large'])(
    'W7 tries again after %s, whatever status had come by then',
    (failure) => {
      for (const status of [null, 200, 204, 410, 500]) {
        expect(classifyAttempt({ status, failure, retryAfterMs: null })).toEqual({ kind: 'retry', retryAfterMs: null });
      }
    },
  );

  it.each(['address-blocked', 'bad-url'] as const)('W7 never tries again after %s, and names it', (failure) =>
    expect(classifyAttempt({ status: null, failure, retryAfterMs: null })).toEqual({
      kind: 'rejected',
      reason: failure,
    }),
  );

  it('blames nobody for what we broke off ourselves', () =>
    expect(classifyAttempt({ status: null, failure: 'aborted', retryAfterMs: null })).toEqual({ kind: 'interrupted' }));
});
