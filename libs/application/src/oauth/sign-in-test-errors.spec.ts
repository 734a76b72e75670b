import { ofDenial, ofRejectedClient, testFailure } from './sign-in-test-errors.js';

const CALLBACK = 'https://calendar.example.test/api/v1/oauth/callback/microsoft';
const CONSENT = 'https://login.example.test/organizations/v2.0/adminconsent?client_id=c';
const surroundings = { callbackUrl: CALLBACK, consentUrl: null };

describe('what a failed test of a sign-in says', () => {
  const denied = (error: string) => testFailure(ofDenial(error), { ...surroundings, error });
  const rejected = (error: string | null) => testFailure(ofRejectedClient(error), { ...surroundings, error });

  it.each([
    ['access_denied', 'access_denied', 'test users'],
    ['invalid_scope', 'scopes_refused', 'Correct the scopes'],
    ['redirect_uri_mismatch', 'redirect_uri_mismatch', `Register exactly this callback URL: ${CALLBACK} `],
    ['invalid_client', 'client_refused', 'Copy its id and its secret again'],
    ['unauthorized_client', 'client_refused', '(unauthorized_client)'],
    ['server_error', 'provider_error', 'with the error server_error.'],
  ])('of an answer with %s is what to do', (error, code, sentence) => {
    expect(denied(error)).toEqual({ code, message: expect.stringContaining(sentence) });
  });

  it.each(['<script>alert(1)</script>', 'Call 555-1234 now', 'x'.repeat(51)])('repeats no words of %s', (error) => {
    const { code, message } = denied(error);
    expect(code).toBe('provider_error');
    expect(message).not.toContain(error);
    expect(rejected(error).message).not.toContain(error);
  });

  it("leads an administrator to the provider's page of consent, where there is one", () => {
    const ask = (consentUrl: string | null) =>
      testFailure('admin_consent_required', { callbackUrl: CALLBACK, consentUrl, error: 'access_denied' });
    expect(ask(CONSENT)).toEqual({ code: 'admin_consent_required', message: expect.stringContaining(CONSENT) });
    expect(ask(null).message).toMatch(/to consent first\.$/);
  });

  it.each([
    ['invalid_client', 'client_refused', '(invalid_client)'],
    [null, 'client_refused', 'does not accept the client.'],
    ['redirect_uri_mismatch', 'redirect_uri_mismatch', CALLBACK],
    ['no_refresh_token', 'no_refresh_token', 'offline_access'],
  ])('of a client that is refused with %s is what to do', (error, code, sentence) => {
    expect(rejected(error)).toEqual({ code, message: expect.stringContaining(sentence) });
  });

  it('of a code that is refused is what to register', () => {
    expect(testFailure('code_refused', surroundings)).toEqual({
      code: 'code_refused',
      message: expect.stringContaining(CALLBACK),
    });
  });

  it('of a call that failed is whether to wait or to act', () => {
    const reason = 'It is away.';
    expect(testFailure('provider_unavailable', { reason }).message).toContain('Try again later. (It is away.)');
    expect(testFailure('calendar_refused', { reason }).message).toContain('enable its calendar API');
  });
});
