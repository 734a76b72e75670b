interface TestFacts {
  callbackUrl: string;
  /** null when the provider has no such page. */
  consentUrl: string | null;
  /** Error code of the provider. */
  error: string | null;
  missingScopes: readonly string[];
  /** Sentence of our own error about a failed call. */
  reason: string;
}

/** Errors of RFC 6749 §4.1.2.1 and of providers that are safe to repeat. */
const ERROR_CODE = /^[a-z_]{1,50}$/;

/** What to do about each failure of a test. */
const ADVICE = {
  access_denied: () =>
    'The provider was not allowed to give access. Start again and allow it. When nobody said no: let this person use ' +
    'the client (in Google Cloud, a client in testing is for its test users alone).',
  admin_consent_required: ({ consentUrl }: TestFacts) =>
    'The organization of this user wants an administrator to consent first.' +
    (consentUrl === null ? '' : ` They do that at ${consentUrl}`),
  /** Providers do not redirect to an unregistered URL. */
  abandoned: ({ callbackUrl }: TestFacts) =>
    `Nobody came back from the provider in time. If its page spoke of redirect_uri, register exactly this callback URL: ` +
    `${callbackUrl} — then start again, in this browser.`,
  calendar_refused: ({ reason }: TestFacts) =>
    `The sign-in worked, but the provider does not let the calendars be read: enable its calendar API for the project ` +
    `of the client, and sign in with an account that has a calendar. (${reason})`,
  client_missing: () => 'The OAuth client was removed during the test. Set it, and start again.',
  client_refused: ({ error }: TestFacts) =>
    `The provider does not accept the client${error === null || !ERROR_CODE.test(error) ? '' : ` (${error})`}. Copy its ` +
    'id and its secret again: a secret may have expired, or belong to another client.',
  code_refused: ({ callbackUrl }: TestFacts) =>
    `The provider does not accept the code that it gave. Register exactly this callback URL: ${callbackUrl} — then start ` +
    'again.',
  /** RFC 9700 §4.4. */
  foreign_answer: () =>
    'The answer came from another provider than the one that was asked. Start again; if it stays so, check where this ' +
    'browser was sent.',
  missing_scopes: ({ missingScopes }: TestFacts) =>
    `Not everything that is asked for was granted: ${missingScopes.join(' ')}. Tick every box on the provider's page, ` +
    'and allow these scopes where the client is registered.',
  no_refresh_token: () =>
    'The provider gave no refresh token, so that accounts would end within the hour. Ask for offline access ' +
    '(at Microsoft the scope offline_access), and start again.',
  provider_error: ({ error }: TestFacts) =>
    `The provider ended the sign-in${error === null || !ERROR_CODE.test(error) ? '' : ` with the error ${error}`}. ` +
    'Look up the error where the client is registered, and start again.',
  provider_unavailable: ({ reason }: TestFacts) =>
    `The provider did not answer as it should. Try again later. (${reason})`,
  redirect_uri_mismatch: ({ callbackUrl }: TestFacts) =>
    `Register exactly this callback URL: ${callbackUrl} — then start again.`,
  scopes_refused: () =>
    'The provider does not know one of the scopes, or does not give it to this client. Correct the scopes here, and ' +
    'allow them where the client is registered.',
};

type SignInTestError = keyof typeof ADVICE;

export interface SignInTestFailure {
  code: SignInTestError;
  message: string;
}

const OF_DENIAL = new Map<string, SignInTestError>([
  ['access_denied', 'access_denied'],
  ['invalid_scope', 'scopes_refused'],
  ['redirect_uri_mismatch', 'redirect_uri_mismatch'],
  ['invalid_client', 'client_refused'],
  ['unauthorized_client', 'client_refused'],
]);

/** Failure for the error of an authorization response (RFC 6749 §4.1.2.1). */
export function ofDenial(error: string): SignInTestError {
  return OF_DENIAL.get(error) ?? 'provider_error';
}

/** Failure for a token response that refuses the client. */
export function ofRejectedClient(error: string | null): SignInTestError {
  return error === 'redirect_uri_mismatch' || error === 'no_refresh_token' ? error : 'client_refused';
}

export function testFailure(code: SignInTestError, facts: Partial<TestFacts> = {}): SignInTestFailure {
  const unknown = { callbackUrl: '', consentUrl: null, error: null, missingScopes: [], reason: '' };
  return { code, message: ADVICE[code]({ ...unknown, ...facts }) };
}
