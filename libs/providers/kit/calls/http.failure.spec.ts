import { EgressError, type EgressFailure } from '#egress';
import { transportFailure } from './http.js';

describe('transportFailure', () => {
  it.each<[EgressFailure, string, string | null]>([
    ['timeout', 'ProviderTimeout', null],
    ['aborted', 'ProviderTimeout', null],
    ['connect', 'ProviderUnavailable', null],
    ['dns', 'ProviderUnavailable', null],
    ['tls', 'ProviderUnavailable', null],
    ['reset', 'ProviderUnavailable', null],
    ['address-blocked', 'ProviderUnavailable', null],
    ['bad-url', 'ProviderUnavailable', null],
    ['invalid-response', 'ProviderUnavailable', 'response-invalid'],
    ['too-large', 'ProviderUnavailable', 'response-too-large'],
  ])('tells %s as %s', (failure, code, providerCode) => {
    expect(transportFailure('Google', new EgressError(failure))).toMatchObject({
      code,
      provider: { status: null, code: providerCode },
    });
  });

  it('leaves every other error alone', () => {
    const error = new TypeError('a mistake');
    expect(transportFailure('Google', error)).toBe(error);
  });
});
