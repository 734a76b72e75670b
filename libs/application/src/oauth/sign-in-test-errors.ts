import type { DomainError } from '#domain';

export type SignInTestError =
  | 'access_denied'
  | 'admin_consent_required'
  | 'abandoned'
  | 'calendar_refused'
  | 'client_missing'
  | 'client_refused'
  | 'code_refused'
  | 'foreign_answer'
  | 'missing_scopes'
  | 'no_refresh_token'
  | 'provider_error'
  | 'provider_unavailable'
  | 'redirect_uri_mismatch'
  | 'scopes_refused';

export interface SignInTestFault {
  code: SignInTestError;
  message: string;
}

export interface FaultSurroundings {
  callbackUrl: string;
  /** null when the provider has no such page. */
  consentUrl: string | null;
}

/** Errors of RFC 6749 §4.1.2.1 and of providers that are safe to repeat. */
const ERROR_CODE = /^[a-z_]{1,50}$/;

export function deniedFault(
  error: string,
  { callbackUrl, consentUrl, needsAdministrator }: FaultSurroundings & { needsAdministrator: boolean },
): SignInTestFault {
  if (needsAdministrator) {
    const where = consentUrl === null ? '' : ` They do that at ${consentUrl}`;
    return fault(
      'admin_consent_required',
      `The organization of this user wants an administrator to consent first.${where}`,
    );
  }
  switch (error) {
    case 'access_denied':
      return fault(
        'access_denied',
        'The provider was not allowed to give access. Start again and allow it. When nobody said no: let this person use ' +
          'the client (in Google Cloud, a client in testing is for its test users alone).',
      );
    case 'invalid_scope':
      return fault(
        'scopes_refused',
        'The provider does not know one of the scopes, or does not give it to this client. Correct the scopes here, and ' +
          'allow them where the client is registered.',
      );
    case 'redirect_uri_mismatch':
      return redirectMismatch(callbackUrl);
    case 'invalid_client':
    case 'unauthorized_client':
      return clientRefused(error);
    default: {
      const told = ERROR_CODE.test(error) ? ` with the error ${error}` : '';
      return fault(
        'provider_error',
        `The provider ended the sign-in${told}. Look up the error where the client is registered, and start again.`,
      );
    }
  }
}

export function clientFault(error: string | null, { callbackUrl }: FaultSurroundings): SignInTestFault {
  if (error === 'redirect_uri_mismatch') return redirectMismatch(callbackUrl);
  if (error === 'no_refresh_token') return noRefreshToken();
  return clientRefused(error);
}

export function codeFault({ callbackUrl }: FaultSurroundings): SignInTestFault {
  return fault(
    'code_refused',
    `The provider does not accept the code that it gave. Register exactly this callback URL: ${callbackUrl} — then start ` +
      'again.',
  );
}

export function missingScopesFault(missing: readonly string[]): SignInTestFault {
  return fault(
    'missing_scopes',
    `Not everything that is asked for was granted: ${missing.join(' ')}. Tick every box on the provider's page, and allow ` +
      'these scopes where the client is registered.',
  );
}

export function noRefreshToken(): SignInTestFault {
  return fault(
    'no_refresh_token',
    'The provider gave no refresh token, so that accounts would end within the hour. Ask for offline access ' +
      '(at Microsoft the scope offline_access), and start again.',
  );
}

export function clientMissing(): SignInTestFault {
  return fault('client_missing', 'The OAuth client was removed during the test. Set it, and start again.');
}

/** RFC 9700 §4.4. */
export function foreignAnswer(): SignInTestFault {
  return fault(
    'foreign_answer',
    'The answer came from another provider than the one that was asked. Start again; if it stays so, check where this ' +
      'browser was sent.',
  );
}

/** Providers do not redirect to an unregistered URL. */
export function abandoned({ callbackUrl }: Pick<FaultSurroundings, 'callbackUrl'>): SignInTestFault {
  return fault(
    'abandoned',
    `Nobody came back from the provider in time. If its page spoke of redirect_uri, register exactly this callback URL: ` +
      `${callbackUrl} — then start again, in this browser.`,
  );
}

export function callFault(error: DomainError, isPassing: boolean): SignInTestFault {
  if (isPassing) {
    return fault(
      'provider_unavailable',
      `The provider did not answer as it should. Try again later. (${error.message})`,
    );
  }
  return fault(
    'calendar_refused',
    `The sign-in worked, but the provider does not let the calendars be read: enable its calendar API for the project ` +
      `of the client, and sign in with an account that has a calendar. (${error.message})`,
  );
}

function redirectMismatch(callbackUrl: string): SignInTestFault {
  return fault('redirect_uri_mismatch', `Register exactly this callback URL: ${callbackUrl} — then start again.`);
}

function clientRefused(error: string | null): SignInTestFault {
  const told = error === null || !ERROR_CODE.test(error) ? '' : ` (${error})`;
  return fault(
    'client_refused',
    `The provider does not accept the client${told}. Copy its id and its secret again: a secret may have expired, or ` +
      'belong to another client.',
  );
}

function fault(code: SignInTestError, message: string): SignInTestFault {
  return { code, message };
}
