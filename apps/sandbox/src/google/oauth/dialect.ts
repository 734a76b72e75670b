import { createHash } from 'node:crypto';
import { jsonResponse } from '../../http/message.js';
import type { OAuthClient } from '../../oauth/clients.js';
import type { Dialect, Issue } from '../../oauth/dialect.js';
import { OAuthErrorResponse, refusing, type Reason, type Words } from '../../oauth/errors.js';
import type { SigningKey } from '../../oauth/signing-key.js';
import { faultPage } from '../../pages/layout.js';
import type { GoogleUser } from '../contract.js';
import { consentPage, refusableScopes } from '../pages/consent.js';
import type { UserDirectory } from '../users.js';
import { allowsEmail, allowsProfile, isKnownScope, isSignInScope, parseScopes, scopeList } from './scopes.js';

export const ISSUER = 'https://accounts.google.com';
export const AUTHORIZE_PATH = '/o/oauth2/v2/auth';

const DAY_MS = 86_400_000;
const TESTING_FOR_MS = 7 * DAY_MS;
const ID_TOKEN_SECONDS = 3600;

/** An OAuth client with its settings in Google's console. */
export interface GoogleClient extends OAuthClient {
  /** In testing, grants expire after seven days. https://developers.google.com/identity/protocols/oauth2#expiration */
  publishing: 'production' | 'testing';
  /** Each refresh replaces the refresh token. Google does not do this, but clients must handle it. */
  rotateRefreshTokens: boolean;
}

const refuse = refusing((reason, about) => ({ message: 'Bad Request', ...WORDS[reason]?.(about) }));

/** https://developers.google.com/identity/protocols/oauth2/web-server */
export function googleDialect(deps: {
  clock: { nowMs(): number };
  users: UserDirectory;
  signingKey: SigningKey;
  createUser: (email: string) => GoogleUser;
}): Dialect<GoogleUser, GoogleClient> {
  const { clock, users, signingKey, createUser } = deps;
  return {
    ...{ users, createUser, refuse },
    paths: { account: '/signin/account', consent: '/signin/consent' },
    cookieName: 'google_session',
    codePrefix: '4/0A',
    // https://developers.google.com/identity/protocols/oauth2#expiration
    tokens: {
      accessTokenPrefix: 'ya29.a0',
      refreshTokenPrefix: '1//0',
      unusedForMs: 182 * DAY_MS,
      liveRefreshTokens: 100,
    },
    hasEnded: ({ scopes, issuedAtMs }, client, nowMs) =>
      client?.publishing === 'testing' && nowMs - issuedAtMs >= TESTING_FOR_MS && ![...scopes].every(isSignInScope),

    parameters: new Set([
      ...['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'nonce', 'prompt', 'login_hint', 'hd'],
      ...[
        'access_type',
        'include_granted_scopes',
        'enable_granular_consent',
        'code_challenge',
        'code_challenge_method',
      ],
    ]),
    values: {
      access_type: /^(?:online|offline)$/,
      include_granted_scopes: /^(?:true|false)$/,
      code_challenge_method: /^(?:S256|plain)$/,
      prompt: /^(?:none|(?:(?:consent|select_account)(?: |$))*)$/,
    },
    returnsErrors: false,
    readScopes(list) {
      const scopes = parseScopes(list);
      const unknown = scopes.filter((scope) => !isKnownScope(scope));
      if (scopes.length === 0) throw refuse('missingParameter', 'scope');
      if (unknown.length === 0) return scopes;
      const valid = scopes.filter(isKnownScope);
      const message = `Some requested scopes were invalid. {valid=[${valid.join(', ')}], invalid=[${unknown.join(', ')}]}`;
      throw new OAuthErrorResponse('invalid_scope', message, { isViolation: true });
    },

    findHinted: (hint) => users.find(hint) ?? users.findBySub(hint),
    shown: ({ name, email }) => ({ name, address: email }),
    asksAgain: ({ prompt }) => prompt.has('select_account'),
    faultPage({ error, message, options: { status = 400 } }) {
      return faultPage('Access blocked: this request is invalid', `Error ${status}: ${error}`, message);
    },
    consentPage: (facts, { scopes }, granted) => consentPage({ ...facts, requested: scopes, granted }),
    allowedScopes(form, { scopes }, granted) {
      const ticked = new Set(form.getAll('scope'));
      const rejected = new Set(refusableScopes(scopes, granted).filter((scope) => !ticked.has(scope)));
      return scopes.filter((scope) => !rejected.has(scope));
    },
    codeResponse: ({ scopes, wasConsentShown }) => ({
      ...{ iss: ISSUER, scope: scopeList(scopes), authuser: '0', prompt: wasConsentShown ? 'consent' : 'none' },
    }),
    errorResponse: ({ error, options: { suberror } }) => ({
      error,
      ...(suberror !== undefined && { error_subtype: suberror }),
    }),

    includesGranted: ({ parameters }) => parameters.get('include_granted_scopes') === 'true',
    isOffline: (_, request) => request === null || request.parameters.get('access_type') === 'offline',
    // Without a consent page, Google assumes that the client still has its refresh token.
    refreshTokensNeedConsentPage: true,
    renewal: ({ rotateRefreshTokens }) => (rotateRefreshTokens ? 'replace' : 'keep'),
    scopeText: scopeList,
    idToken: (issue) => signingKey.sign(claimsOf(issue, clock.nowMs())),
    tokenResponse: (status, body) =>
      jsonResponse(status, body, { headers: { 'cache-control': 'no-store', pragma: 'no-cache' }, indent: 2 }),
    errorBody: ({ error, message }) => ({ error, error_description: message }),
  };
}

/** OpenID Connect Core §2 */
function claimsOf({ grant: { user, clientId }, scopes, accessToken, request }: Issue<GoogleUser>, nowMs: number) {
  const iat = Math.floor(nowMs / 1000);
  const { sub, email, name, workspace } = user;
  return {
    azp: clientId,
    sub,
    ...(workspace && { hd: email.slice(email.lastIndexOf('@') + 1) }),
    ...(allowsEmail(scopes) && { email, email_verified: true }),
    ...(allowsProfile(scopes) && { name, given_name: name.split(' ', 1)[0] }),
    at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
    ...(request !== null && request.nonce !== null && { nonce: request.nonce }),
    ...{ iss: ISSUER, aud: clientId, iat, exp: iat + ID_TOKEN_SECONDS },
  };
}

/** Other errors have the message `Bad Request`. */
const WORDS: Readonly<Partial<Record<Reason, (about: string) => Partial<Words>>>> = {
  unknownParameter: (name) => ({ message: `Parameter not allowed for this message type: ${name}` }),
  repeatedParameter: (name) => ({ message: `OAuth 2 parameters can only have a single value: ${name}` }),
  missingParameter: (name) => ({ message: `Missing required parameter: ${name}` }),
  badValue: (name) => ({ message: `Invalid parameter value for ${name}` }),
  badChallenge: () => ({ message: 'Invalid parameter value for code_challenge' }),
  responseType: (type) => ({ message: `Invalid response_type: ${type}` }),
  unknownClient: () => ({ status: 401, message: 'The OAuth client was not found.' }),
  deletedClient: () => ({ error: 'deleted_client', status: 401, message: 'The OAuth client was deleted.' }),
  redirectUri: (uri) => ({
    error: 'redirect_uri_mismatch',
    message: `The redirect URI in the request, ${uri}, does not match the ones authorized for the OAuth client.`,
  }),
  lostInteraction: () => ({
    message: 'This sign-in is over or was never begun. Start again from the application.',
  }),
  noSession: () => ({ error: 'interaction_required', suberror: 'access_denied' }),
  noConsent: () => ({ error: 'interaction_required', suberror: 'access_denied' }),
  contentType: () => ({ message: 'The content type must be application/x-www-form-urlencoded.' }),
  parametersInQuery: () => ({ message: 'Parameters belong into the body.' }),
  grantType: (type) => ({ message: `Invalid grant_type: ${type}` }),
  twoAuthentications: () => ({ message: 'More than one client authentication.' }),
  noSecret: () => ({ error: 'invalid_request', message: 'client_secret is missing.' }),
  wrongSecret: () => ({ status: 401, message: 'The provided client secret is invalid.' }),
  unknownCode: () => ({ message: 'Malformed auth code.' }),
  codeRedirectUri: () => ({ error: 'redirect_uri_mismatch' }),
  needlessVerifier: () => ({ message: 'code_verifier or verifier is not needed.' }),
  missingVerifier: () => ({ message: 'Missing code verifier.' }),
  wrongVerifier: () => ({ message: 'Invalid code verifier.' }),
  deadRefreshToken: () => ({ message: 'Token has been expired or revoked.' }),
};
