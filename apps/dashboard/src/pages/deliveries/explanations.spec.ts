import { describe, expect, it } from '@jest/globals';
import { whyDisabled, whyFailed, failureExplanation } from './explanations.js';

const GENERIC = /^It (is disabled|was given up|failed)/;

describe('what failed', () => {
  it.each(['gone', 'failing', 'requested'])('says why an endpoint is disabled: %s', (disabledReason) => {
    expect(whyDisabled({ disabledReason }).what).not.toMatch(GENERIC);
  });

  it.each(['exhausted', 'gone', 'endpoint-disabled', 'address-blocked', 'bad-url'])(
    'says why a message was given up: %s',
    (failureReason) => {
      expect(failureExplanation({ failureReason }).what).not.toMatch(GENERIC);
    },
  );

  it.each([
    'address-blocked',
    'dns',
    'connect',
    'tls',
    'timeout',
    'too-large',
    'reset',
    'aborted',
    'bad-url',
    'invalid-response',
  ])('says what came of an attempt without an answer: %s', (failure) => {
    expect(whyFailed({ status: null, failure })?.what).not.toMatch(GENERIC);
  });

  it('names a reason that it does not know', () => {
    expect(whyDisabled({ disabledReason: 'moon-phase' }).what).toContain('moon-phase');
    expect(failureExplanation({ failureReason: 'moon-phase' }).what).toContain('moon-phase');
    expect(whyFailed({ status: null, failure: 'moon-phase' })?.what).toContain('moon-phase');
  });

  it('tells redirects, refusals and failures of receivers apart', () => {
    const todos = [302, 400, 401, 404, 429, 500].map((status) => whyFailed({ status, failure: null })?.todo);
    expect(new Set(todos).size).toBe(6);
  });

  it('has nothing to say about what was delivered or is under way', () => {
    expect([200, 204, null].map((status) => whyFailed({ status, failure: null }))).toEqual([null, null, null]);
  });

  it('holds a broken answer against the receiver, whatever its status', () => {
    expect(whyFailed({ status: 200, failure: 'reset' })?.what).toBe('The connection broke off.');
  });
});
