import { randomUUID } from 'node:crypto';
import { jsonAnswer, type HttpAnswer } from '../../http/message.js';
import { OAuthRefusal, refusing, type Reason, type Words } from '../../oauth/refusals.js';

/**
 * A refusal of the identity platform: an OAuth error, and the numbers that say more.
 * https://learn.microsoft.com/entra/identity-platform/reference-error-codes
 */
export function aadsts(
  error: string,
  codes: readonly number[],
  message: string,
  options: OAuthRefusal['options'] = {},
): OAuthRefusal {
  return new OAuthRefusal(error, message, { codes, ...options });
}

/** `AADSTS65004: User declined to consent to access the app.` */
export function descriptionOf({ message, options }: OAuthRefusal): string {
  return `AADSTS${options.codes?.[0]}: ${message}`;
}

export const refuse = refusing(wordsFor);

/** The body of a token endpoint's error. */
export function tokenErrorBody(refusal: OAuthRefusal, nowMs: number): Record<string, unknown> {
  const { codes = [], suberror } = refusal.options;
  const [traceId, correlationId] = [randomUUID(), randomUUID()];
  const timestamp = `${new Date(nowMs).toISOString().slice(0, 19).replace('T', ' ')}Z`;
  return {
    error: refusal.error,
    error_description: [
      descriptionOf(refusal),
      ...[`Trace ID: ${traceId}`, `Correlation ID: ${correlationId}`, `Timestamp: ${timestamp}`],
    ].join(' '),
    error_codes: codes,
    timestamp,
    trace_id: traceId,
    correlation_id: correlationId,
    error_uri: `https://login.microsoftonline.com/error?code=${codes[0]}`,
    ...(suberror !== undefined && { suberror }),
  };
}

/** RFC 6749 §5.1 */
export function tokenAnswer(status: number, body: Record<string, unknown>): HttpAnswer {
  return jsonAnswer(status, body, { headers: { 'cache-control': 'no-store, no-cache', pragma: 'no-cache' } });
}

function wordsFor(reason: Reason, about: string): Words {
  const said = (code: number, message: string, more: Omit<Partial<Words>, 'message'> = {}): Words => ({
    ...{ codes: [code], message },
    ...more,
  });
  switch (reason) {
    case 'unknownParameter':
      return said(9002313, `Invalid request. The parameter ${about} is unknown.`);
    case 'repeatedParameter':
      return said(9000411, `The parameter '${about}' is duplicated.`);
    case 'missingParameter':
      return said(900144, `The request body must contain the following parameter: '${about}'.`);
    case 'badValue':
      return said(90023, `Unsupported '${about}' value.`);
    case 'badChallenge':
      return said(501491, 'Invalid size of Code_Challenge parameter.');
    case 'responseType':
      return said(700054, 'response_type is not enabled.');
    case 'unknownClient':
    case 'deletedClient': {
      const message = `Application with identifier '${about}' was not found in the directory.`;
      return said(700016, message, { error: 'unauthorized_client' });
    }
    case 'redirectUri': {
      const message = `The redirect URI '${about}' specified in the request does not match the redirect URIs configured for the application.`;
      return said(50011, message);
    }
    case 'lostInteraction':
      return said(165000, 'This sign-in is over or was never begun. Start again from the application.');
    case 'denied':
      return said(65004, 'User declined to consent to access the app.');
    case 'needsAdministrator': {
      const message =
        'An administrator of the tenant has set a policy that prevents you from granting the permissions.';
      return said(90094, message);
    }
    case 'noSession':
      return said(50058, 'A silent sign-in request was sent but no user is signed in.');
    case 'noConsent':
      return said(65001, 'The user or administrator has not consented to use the application.');
    case 'contentType':
      return said(900144, 'The content type must be application/x-www-form-urlencoded.');
    case 'parametersInQuery':
      return said(9002313, 'Parameters belong into the body.');
    case 'grantType':
      return said(70003, `The app requested an unsupported grant type '${about}'.`);
    case 'twoAuthentications':
      return said(9002313, 'Two client authentications.');
    case 'secretOfPage':
      return said(9002327, 'Tokens may only be redeemed without an Origin.');
    case 'noSecret': {
      const message = "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.";
      return said(7000218, message, { status: 401 });
    }
    case 'wrongSecret': {
      const message = `Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${about}'.`;
      return said(7000215, message, { status: 401 });
    }
    case 'unknownCode':
    case 'foreignCode':
    case 'unknownRefreshToken':
      return said(9002313, 'Invalid request. Request is malformed or invalid.');
    case 'usedCode':
      return said(54005, 'OAuth2 Authorization code was already redeemed.');
    case 'expiredCode':
      return said(70008, 'The provided authorization code has expired.');
    case 'codeOfOtherTenant':
      return said(700005, 'Provided Authorization Code is intended to use against other tenant, thus rejected.');
    case 'codeRedirectUri': {
      const message = `The reply URL '${about}' does not match the one of the authorization request.`;
      return said(50011, message, { error: 'invalid_request', isViolation: true });
    }
    case 'needlessVerifier':
      return said(501481, 'No code_challenge was supplied.', { isViolation: true });
    case 'missingVerifier':
    case 'wrongVerifier': {
      const message = 'The Code_Verifier does not match the code_challenge supplied in the authorization request.';
      return said(501481, message, { isViolation: true });
    }
    case 'revokedGrant': {
      const message = 'The provided grant has expired due to it being revoked, a fresh auth token is needed.';
      return said(50173, message);
    }
    case 'deadRefreshToken':
      return said(700082, 'The refresh token has expired due to inactivity.');
    case 'notConsented':
      return said(65001, 'The user has not consented to what is asked for.', { suberror: 'consent_required' });
  }
}
