import { randomUUID } from 'node:crypto';
import { jsonResponse, type HttpResponse } from '../../http/message.js';
import { OAuthErrorResponse, refusing, type Reason, type Words } from '../../oauth/errors.js';

/**
 * A refusal of the identity platform: an OAuth error with AADSTS codes.
 * https://learn.microsoft.com/entra/identity-platform/reference-error-codes
 */
export function aadsts(
  error: string,
  codes: readonly number[],
  message: string,
  options: OAuthErrorResponse['options'] = {},
): OAuthErrorResponse {
  return new OAuthErrorResponse(error, message, { codes, ...options });
}

/** `AADSTS65004: User declined to consent to access the app.` */
export function descriptionOf({ message, options }: OAuthErrorResponse): string {
  return `AADSTS${options.codes?.[0]}: ${message}`;
}

export const refuse = refusing((reason, about) => WORDS[reason](about));

export function tokenErrorBody(rejection: OAuthErrorResponse, nowMs: number): Record<string, unknown> {
  const { codes = [], suberror } = rejection.options;
  const [traceId, correlationId] = [randomUUID(), randomUUID()];
  const timestamp = `${new Date(nowMs).toISOString().slice(0, 19).replace('T', ' ')}Z`;
  return {
    error: rejection.error,
    error_description: [
      descriptionOf(rejection),
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
export function tokenResponse(status: number, body: Record<string, unknown>): HttpResponse {
  return jsonResponse(status, body, { headers: { 'cache-control': 'no-store, no-cache', pragma: 'no-cache' } });
}

const malformed = (): Words => said(9002313, 'Invalid request. Request is malformed or invalid.');
const unknownClient = (id: string): Words =>
  said(700016, `Application with identifier '${id}' was not found in the directory.`, { error: 'unauthorized_client' });
const otherVerifier = (): Words =>
  said(501481, 'The Code_Verifier does not match the code_challenge supplied in the authorization request.', {
    isViolation: true,
  });

const WORDS: Readonly<Record<Reason, (about: string) => Words>> = {
  unknownParameter: (name) => said(9002313, `Invalid request. The parameter ${name} is unknown.`),
  repeatedParameter: (name) => said(9000411, `The parameter '${name}' is duplicated.`),
  missingParameter: (name) => said(900144, `The request body must contain the following parameter: '${name}'.`),
  badValue: (name) => said(90023, `Unsupported '${name}' value.`),
  badChallenge: () => said(501491, 'Invalid size of Code_Challenge parameter.'),
  responseType: () => said(700054, 'response_type is not enabled.'),
  unknownClient,
  deletedClient: unknownClient,
  redirectUri: (uri) =>
    said(
      50011,
      `The redirect URI '${uri}' specified in the request does not match the redirect URIs configured for the application.`,
    ),
  lostInteraction: () => said(165000, 'This sign-in is over or was never begun. Start again from the application.'),
  denied: () => said(65004, 'User declined to consent to access the app.'),
  needsAdministrator: () =>
    said(90094, 'An administrator of the tenant has set a policy that prevents you from granting the permissions.'),
  noSession: () => said(50058, 'A silent sign-in request was sent but no user is signed in.'),
  noConsent: () => said(65001, 'The user or administrator has not consented to use the application.'),
  contentType: () => said(900144, 'The content type must be application/x-www-form-urlencoded.'),
  parametersInQuery: () => said(9002313, 'Parameters belong into the body.'),
  grantType: (type) => said(70003, `The app requested an unsupported grant type '${type}'.`),
  twoAuthentications: () => said(9002313, 'Two client authentications.'),
  secretOfPage: () => said(9002327, 'Tokens may only be redeemed without an Origin.'),
  noSecret: () =>
    said(7000218, "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.", {
      status: 401,
    }),
  wrongSecret: (clientId) =>
    said(
      7000215,
      `Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${clientId}'.`,
      { status: 401 },
    ),
  unknownCode: malformed,
  foreignCode: malformed,
  unknownRefreshToken: malformed,
  usedCode: () => said(54005, 'OAuth2 Authorization code was already redeemed.'),
  expiredCode: () => said(70008, 'The provided authorization code has expired.'),
  codeOfOtherTenant: () =>
    said(700005, 'Provided Authorization Code is intended to use against other tenant, thus rejected.'),
  codeRedirectUri: (uri) =>
    said(50011, `The reply URL '${uri}' does not match the one of the authorization request.`, {
      ...{ error: 'invalid_request', isViolation: true },
    }),
  needlessVerifier: () => said(501481, 'No code_challenge was supplied.', { isViolation: true }),
  missingVerifier: otherVerifier,
  wrongVerifier: otherVerifier,
  revokedGrant: () =>
    said(50173, 'The provided grant has expired due to it being revoked, a fresh auth token is needed.'),
  deadRefreshToken: () => said(700082, 'The refresh token has expired due to inactivity.'),
  notConsented: () => said(65001, 'The user has not consented to what is asked for.', { suberror: 'consent_required' }),
};

function said(code: number, message: string, more: Partial<Words> = {}): Words {
  return { codes: [code], message, ...more };
}
