import { jsonAnswer, mediaType, type HttpAnswer, type HttpRequest } from '../../http/message.js';
import type { AuthorizationCodes } from '../../oauth/authorization-codes.js';
import { basicCredentials, isSameSecret } from '../../oauth/client-authentication.js';
import { verifiesChallenge } from '../../oauth/code-challenge.js';
import { ACCESS_TOKEN_SECONDS, type Grant, type Grants } from '../../oauth/grants.js';
import type { GoogleUser } from '../contract.js';
import type { Authorization } from './authorization.js';
import type { ClientRegistry, OAuthClient } from './clients.js';
import type { IdTokens } from './id-tokens.js';
import { scopeList } from './scopes.js';

const CLIENT_PARAMETERS = ['grant_type', 'client_id', 'client_secret'];
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  authorization_code: [...CLIENT_PARAMETERS, 'code', 'redirect_uri', 'code_verifier'],
  refresh_token: [...CLIENT_PARAMETERS, 'refresh_token'],
};

export interface TokenEndpointDeps {
  clients: ClientRegistry;
  codes: AuthorizationCodes<Authorization>;
  grants: Grants<GoogleUser>;
  idTokens: IdTokens;
  violation(request: HttpRequest, message: string): void;
}

/** A refusal in the words of RFC 6749 §5.2. */
class TokenRefusal extends Error {
  constructor(
    readonly status: 400 | 401,
    readonly error: string,
    readonly description: string,
    /** A correct client never sends such a request. */
    readonly isViolation = false,
  ) {
    super(description);
  }
}

/** `POST /token`: codes and refresh tokens for access tokens (RFC 6749 §4.1.3, §6). */
export class TokenEndpoint {
  constructor(private readonly deps: TokenEndpointDeps) {}

  async answer(request: HttpRequest): Promise<HttpAnswer> {
    try {
      return tokenAnswer(200, await this.#tokens(request));
    } catch (error) {
      if (!(error instanceof TokenRefusal)) throw error;
      if (error.isViolation) this.deps.violation(request, error.description);
      return tokenAnswer(error.status, { error: error.error, error_description: error.description });
    }
  }

  /** Whose tokens a request is about, as far as it says. */
  subject(request: HttpRequest): GoogleUser | undefined {
    const form = new URLSearchParams(request.body.toString('utf8'));
    const grant =
      this.deps.grants.refreshToken(form.get('refresh_token') ?? '')?.grant ??
      this.deps.codes.find(form.get('code') ?? '')?.grant;
    return grant?.user;
  }

  async #tokens(request: HttpRequest): Promise<Record<string, unknown>> {
    const form = readForm(request);
    const client = this.#authenticated(request, form);
    return form.get('grant_type') === 'refresh_token' ? this.#refresh(client, form) : this.#exchange(client, form);
  }

  /** In the body or with Basic (RFC 6749 §2.3.1), never both. */
  #authenticated({ headers }: HttpRequest, form: URLSearchParams): OAuthClient {
    const basic = basicCredentials(headers['authorization']);
    if (basic !== undefined && form.has('client_secret')) throw invalid('More than one client authentication.');
    const clientId = basic?.clientId ?? form.get('client_id');
    if (clientId === null || clientId === '') throw invalid('Could not determine client ID from request.');
    const client = this.deps.clients.find(clientId);
    if (client === undefined) {
      if (this.deps.clients.wasDeleted(clientId)) {
        throw new TokenRefusal(401, 'deleted_client', 'The OAuth client was deleted.');
      }
      throw new TokenRefusal(401, 'invalid_client', 'The OAuth client was not found.');
    }
    const secret = basic?.clientSecret ?? form.get('client_secret');
    if (secret === null) throw invalid('client_secret is missing.');
    if (!isSameSecret(secret, client.clientSecret)) {
      throw new TokenRefusal(401, 'invalid_client', 'The provided client secret is invalid.');
    }
    return client;
  }

  async #exchange(client: OAuthClient, form: URLSearchParams): Promise<Record<string, unknown>> {
    const code = required(form, 'code');
    const redirectUri = required(form, 'redirect_uri');
    const authorization = this.deps.codes.find(code);
    if (authorization === undefined) throw invalidGrant('Malformed auth code.');
    const isGood = this.deps.codes.stateOf(code) === 'good' && !authorization.grant.isRevoked;
    if (authorization.clientId !== client.clientId || !isGood) throw invalidGrant('Bad Request');
    if (authorization.redirectUri !== redirectUri) {
      throw new TokenRefusal(400, 'redirect_uri_mismatch', 'Bad Request');
    }
    verifyPkce(authorization, form.get('code_verifier'));
    this.deps.codes.use(code);
    const { grant, scopes, isOffline, wasConsentShown, nonce } = authorization;
    // Whoever did not see the consent page has allowed nothing new: the client is expected to have its token.
    const refreshToken = isOffline && wasConsentShown ? this.deps.grants.issueRefreshToken(grant, scopes) : null;
    return this.#issued(grant, scopes, { refreshToken, isOffline, nonce });
  }

  async #refresh(client: OAuthClient, form: URLSearchParams): Promise<Record<string, unknown>> {
    const token = this.deps.grants.refreshToken(required(form, 'refresh_token'));
    if (token === undefined || token.grant.clientId !== client.clientId) throw invalidGrant('Bad Request');
    if (!this.deps.grants.isLive(token)) throw invalidGrant('Token has been expired or revoked.');
    this.deps.grants.noteUse(token);
    const scopes = this.deps.grants.scopesOf(token);
    let refreshToken: string | null = null;
    if (client.rotateRefreshTokens) {
      this.deps.grants.endRefreshToken(token);
      refreshToken = this.deps.grants.issueRefreshToken(token.grant, token.scopes);
    }
    return this.#issued(token.grant, scopes, { refreshToken, isOffline: true, nonce: null });
  }

  async #issued(
    grant: Grant<GoogleUser>,
    scopes: ReadonlySet<string>,
    { refreshToken, isOffline, nonce }: { refreshToken: string | null; isOffline: boolean; nonce: string | null },
  ): Promise<Record<string, unknown>> {
    const { user, clientId } = grant;
    const accessToken = this.deps.grants.issueAccessToken(grant, scopes, isOffline);
    return {
      access_token: accessToken,
      expires_in: ACCESS_TOKEN_SECONDS,
      ...(refreshToken !== null && { refresh_token: refreshToken }),
      scope: scopeList(scopes),
      token_type: 'Bearer',
      ...(scopes.has('openid') && {
        id_token: await this.deps.idTokens.sign({ user, clientId, scopes, accessToken, nonce }),
      }),
    };
  }
}

function readForm(request: HttpRequest): URLSearchParams {
  if (mediaType(request) !== 'application/x-www-form-urlencoded') {
    throw invalid('The content type must be application/x-www-form-urlencoded.');
  }
  if ([...request.query].length > 0) throw invalid('Parameters belong into the body.');
  const form = new URLSearchParams(request.body.toString('utf8'));
  const grantType = required(form, 'grant_type');
  const allowed = Object.hasOwn(PARAMETERS, grantType) ? PARAMETERS[grantType] : undefined;
  if (allowed === undefined) {
    throw new TokenRefusal(400, 'unsupported_grant_type', `Invalid grant_type: ${grantType}`, true);
  }
  for (const name of form.keys()) {
    if (!allowed.includes(name)) throw invalid(`Parameter not allowed for this message type: ${name}`);
    if (form.getAll(name).length > 1) throw invalid(`OAuth 2 parameters can only have a single value: ${name}`);
  }
  return form;
}

/** RFC 7636 §4.6 */
function verifyPkce({ challenge }: Authorization, verifier: string | null): void {
  if (challenge === null) {
    if (verifier !== null) throw invalidGrant('code_verifier or verifier is not needed.');
    return;
  }
  if (verifier === null) throw invalidGrant('Missing code verifier.');
  if (!verifiesChallenge(challenge, verifier)) throw invalidGrant('Invalid code verifier.');
}

function required(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (value === null || value === '') throw invalid(`Missing required parameter: ${name}`);
  return value;
}

function invalid(description: string): TokenRefusal {
  return new TokenRefusal(400, 'invalid_request', description, true);
}

function invalidGrant(description: string): TokenRefusal {
  return new TokenRefusal(400, 'invalid_grant', description);
}

/** RFC 6749 §5.1 */
function tokenAnswer(status: number, body: Record<string, unknown>): HttpAnswer {
  return jsonAnswer(status, body, { headers: { 'cache-control': 'no-store', pragma: 'no-cache' }, indent: 2 });
}
