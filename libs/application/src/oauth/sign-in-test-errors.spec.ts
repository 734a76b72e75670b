import { DomainError } from '#domain';
import { callFault, clientFault, codeFault, deniedFault } from './sign-in-test-errors.js';

const CALLBACK = 'https://calendar.example.test/api/v1/oauth/callback/microsoft';
const CONSENT = 'https://login.example.test/organizations/v2.0/adminconsent?client_id=c';
const surroundings = { callbackUrl: CALLBACK, consentUrl: null };

describe('what a failed test of a sign-in says', () => {
  const denied = (error: string) => deniedFault(error, { ...surroundings, needsAdministrator: false });

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
    expect(clientFault(error, surroundings).message).not.toContain(error);
  });

  it("leads an administrator to the provider's page of consent, where there is one", () => {
    const ask = (consentUrl: string | null) =>
      deniedFault('access_denied', { callbackUrl: CALLBACK, consentUrl, needsAdministrator: true });
    expect(ask(CONSENT)).toEqual({ code: 'admin_consent_required', message: expect.stringContaining(CONSENT) });
    expect(ask(null).message).toMatch(/to consent first\.$/);
  });

  it.each([
    ['invalid_client', 'client_refused', '(invalid_client)'],
    [null, 'client_refused', 'does not accept the client.'],
    ['redirect_uri_mismatch', 'redirect_uri_mismatch', CALLBACK],
    ['no_refresh_token', 'no_refresh_token', 'offline_access'],
  ])('of a client that is refused with %s is what to do', (error, code, sentence) => {
    expect(clientFault(error, surroundings)).toEqual({ code, message: expect.stringContaining(sentence) });
  });

  it('of a code that is refused is what to register', () => {
    expect(codeFault(surroundings)).toEqual({ code: 'code_refused', message: expect.stringContaining(CALLBACK) });
  });

  it('of a call that failed is whether to wait or to act', () => {
    const error = new DomainError('ProviderUnavailable', 'It is away.');
    expect(callFault(error, true)).toMatchObject({ code: 'provider_unavailable' });
    expect(callFault(error, false)).toMatchObject({ code: 'calendar_refused' });
  });
});
