import { formOf, mediaType, type HttpAnswer, type HttpRequest } from '../../http/message.js';
import type { AuthorizationCodes } from '../../oauth/authorization-codes.js';
import { basicCredentials, isSameSecret } from '../../oauth/client-authentication.js';
import { verifiesChallenge } from '../../oauth/code-challenge.js';
import { ACCESS_TOKEN_SECONDS, type Grant, type Grants } from '../../oauth/grants.js';
import type { SigningKey } from '../../oauth/signing-key.js';
import type { MicrosoftUser } from '../contract.js';
import { addressOf, type MicrosoftUsers } from '../users.js';
import { AadstsRefusal, tokenAnswer, tokenErrorBody } from './aadsts.js';
import type { Authorization } from './authorization.js';
import { registeredClient, scopesOf } from './authorization-request.js';
import type { MicrosoftClient, MicrosoftClients } from './clients.js';
import { signIdToken } from './id-tokens.js';
import { echoedScopes } from './scopes.js';
import { admits, type TenantSegment } from './tenants.js';

const CLIENT_PARAMETERS = ['grant_type', 'client_id', 'client_secret', 'scope'];
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  authorization_code: [...CLIENT_PARAMETERS, 'code', 'redirect_uri', 'code_verifier'],
  refresh_token: [...CLIENT_PARAMETERS, 'refresh_token'],
};

export interface TokenEndpointDeps {
  clients: MicrosoftClients;
  users: MicrosoftUsers;
  codes: AuthorizationCodes<Authorization>;
  grants: Grants<MicrosoftUser>;
  signingKey: SigningKey;
  clock: { nowMs(): number };
  /** Origin under which clients know the identity platform. */
  origin(): string;
  violation(request: HttpRequest, message: string): void;
}

/**
 * `POST /{tenant}/oauth2/v2.0/token`: codes and refresh tokens for access tokens (RFC 6749 §4.1.3, §6).
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow#redeem-a-code-for-an-access-token
 */
export class TokenEndpoint {
  constructor(private readonly deps: TokenEndpointDeps) {}

  async answer(tenant: TenantSegment, request: HttpRequest): Promise<HttpAnswer> {
    try {
      return tokenAnswer(200, await this.#tokens(tenant, request));
    } catch (error) {
      if (!(error instanceof AadstsRefusal)) throw error;
      if (error.options.isViolation === true) this.deps.violation(request, error.message);
      return tokenAnswer(error.options.status ?? 400, tokenErrorBody(error, this.deps.clock.nowMs()));
    }
  }

  /** Whose tokens a request is about, as far as it says. */
  subject(request: HttpRequest): string | null {
    const form = formOf(request);
    const grant =
      this.deps.grants.refreshToken(form.get('refresh_token') ?? '')?.grant ??
      this.deps.codes.find(form.get('code') ?? '')?.grant;
    return grant === undefined ? null : addressOf(grant.user);
  }

  async #tokens(tenant: TenantSegment, request: HttpRequest): Promise<Record<string, unknown>> {
    const form = readForm(request);
    const client = this.#authenticated(tenant, request, form);
    return form.get('grant_type') === 'refresh_token'
      ? this.#refresh(tenant, client, form)
      : this.#exchange(tenant, client, form);
  }

  /** In the body or with Basic (RFC 6749 §2.3.1), never both. */
  #authenticated(tenant: TenantSegment, { headers }: HttpRequest, form: URLSearchParams): MicrosoftClient {
    const basic = basicCredentials(headers['authorization']);
    if (basic !== undefined && form.has('client_secret')) throw invalid(9002313, 'Two client authentications.');
    // A secret that comes from a page of a browser is none any more.
    if (headers['origin'] !== undefined) throw invalid(9002327, 'Tokens may only be redeemed without an Origin.');
    const client = registeredClient(tenant, basic?.clientId ?? required(form, 'client_id'), this.deps.clients);
    const secret = basic?.clientSecret ?? form.get('client_secret');
    if (secret === null) {
      const message = "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.";
      throw new AadstsRefusal('invalid_client', [7000218], message, { status: 401, isViolation: true });
    }
    if (!isSameSecret(secret, client.clientSecret)) {
      const message = `Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${client.clientId}'.`;
      throw new AadstsRefusal('invalid_client', [7000215], message, { status: 401 });
    }
    return client;
  }

  async #exchange(
    tenant: TenantSegment,
    client: MicrosoftClient,
    form: URLSearchParams,
  ): Promise<Record<string, unknown>> {
    const code = required(form, 'code');
    const redirectUri = required(form, 'redirect_uri');
    const authorization = this.deps.codes.find(code);
    const state = this.deps.codes.stateOf(code);
    if (authorization === undefined || authorization.clientId !== client.clientId) {
      throw invalidGrant(9002313, 'Invalid request. Request is malformed or invalid.');
    }
    if (state === 'used') throw invalidGrant(54005, 'OAuth2 Authorization code was already redeemed.');
    if (state === 'expired') throw invalidGrant(70008, 'The provided authorization code has expired.');
    if (authorization.tenant !== tenant) {
      throw invalidGrant(
        700005,
        'Provided Authorization Code is intended to use against other tenant, thus rejected.',
        {
          isViolation: true,
        },
      );
    }
    if (authorization.redirectUri !== redirectUri) {
      throw invalid(50011, `The reply URL '${redirectUri}' does not match the one of the authorization request.`);
    }
    verifyPkce(authorization, form.get('code_verifier'));
    this.#requireLive(authorization.grant);
    this.deps.codes.use(code);
    return this.#issued(authorization.grant, this.#requested(form, authorization.scopes), authorization.nonce);
  }

  async #refresh(
    tenant: TenantSegment,
    client: MicrosoftClient,
    form: URLSearchParams,
  ): Promise<Record<string, unknown>> {
    const { grants } = this.deps;
    const token = grants.refreshToken(required(form, 'refresh_token'));
    if (token === undefined || token.grant.clientId !== client.clientId) {
      throw invalidGrant(9002313, 'Invalid request. Request is malformed or invalid.');
    }
    this.#requireLive(token.grant);
    if (!grants.isLive(token)) {
      throw invalidGrant(700082, 'The refresh token has expired due to inactivity.');
    }
    if (!admits(tenant, token.grant.user)) {
      throw invalidGrant(50020, `The user account does not exist in tenant '${tenant}'.`, { isViolation: true });
    }
    const scopes = this.#requested(form, token.scopes);
    const lost = [...scopes].filter((scope) => !token.grant.scopes.has(scope));
    if (lost.length > 0) {
      const message = `The user or administrator has not consented to use the application with ID '${client.clientId}'.`;
      throw new AadstsRefusal('invalid_grant', [65001], message, { suberror: 'consent_required' });
    }
    grants.noteUse(token);
    return this.#issued(token.grant, scopes, null, token.scopes);
  }

  /** @throws AadstsRefusal */
  #requireLive({ user, isRevoked }: Grant<MicrosoftUser>): void {
    const known = this.deps.users.find(addressOf(user));
    if (known?.oid !== user.oid || known.tid !== user.tid) {
      throw invalidGrant(50034, `The user account ${addressOf(user)} does not exist in the directory.`);
    }
    if (isRevoked) {
      throw invalidGrant(
        50173,
        'The provided grant has expired due to it being revoked, a fresh auth token is needed.',
      );
    }
  }

  /** @throws AadstsRefusal for more than was granted */
  #requested(form: URLSearchParams, granted: ReadonlySet<string>): ReadonlySet<string> {
    const list = form.get('scope');
    if (list === null) return granted;
    const scopes = scopesOf(list);
    if (scopes.every((scope) => granted.has(scope))) return new Set(scopes);
    throw new AadstsRefusal('invalid_grant', [65001], 'The user has not consented to what is asked for.', {
      suberror: 'consent_required',
    });
  }

  /** @param refreshable what the new refresh token stands for */
  async #issued(
    grant: Grant<MicrosoftUser>,
    scopes: ReadonlySet<string>,
    nonce: string | null,
    refreshable = scopes,
  ): Promise<Record<string, unknown>> {
    const { grants, signingKey, clock } = this.deps;
    const { user, clientId } = grant;
    const isOffline = refreshable.has('offline_access');
    return {
      token_type: 'Bearer',
      scope: echoedScopes(scopes),
      expires_in: ACCESS_TOKEN_SECONDS,
      ext_expires_in: ACCESS_TOKEN_SECONDS,
      access_token: grants.issueAccessToken(grant, scopes, isOffline),
      ...(isOffline && { refresh_token: grants.issueRefreshToken(grant, refreshable) }),
      ...(scopes.has('openid') && {
        id_token: await signIdToken(signingKey, {
          ...{ user, clientId, scopes, nonce },
          ...{ origin: this.deps.origin(), nowMs: clock.nowMs() },
        }),
      }),
    };
  }
}

function readForm(request: HttpRequest): URLSearchParams {
  if (mediaType(request) !== 'application/x-www-form-urlencoded') {
    throw invalid(900144, 'The content type must be application/x-www-form-urlencoded.');
  }
  if ([...request.query].length > 0) throw invalid(9002313, 'Parameters belong into the body.');
  const form = formOf(request);
  const grantType = required(form, 'grant_type');
  const allowed = Object.hasOwn(PARAMETERS, grantType) ? PARAMETERS[grantType] : undefined;
  if (allowed === undefined) {
    const message = `The app requested an unsupported grant type '${grantType}'.`;
    throw new AadstsRefusal('unsupported_grant_type', [70003], message, { isViolation: true });
  }
  for (const name of form.keys()) {
    if (!allowed.includes(name)) throw invalid(9002313, `The parameter ${name} is not for ${grantType}.`);
    if (form.getAll(name).length > 1) throw invalid(9000411, `The parameter '${name}' is duplicated.`);
  }
  return form;
}

/** RFC 7636 §4.6 */
function verifyPkce({ challenge }: Authorization, verifier: string | null): void {
  if (challenge === null) {
    if (verifier !== null) throw invalidGrant(501481, 'No code_challenge was supplied.', { isViolation: true });
    return;
  }
  if (verifier === null || !verifiesChallenge(challenge, verifier)) {
    const message = 'The Code_Verifier does not match the code_challenge supplied in the authorization request.';
    throw invalidGrant(501481, message, { isViolation: true });
  }
}

function required(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (value !== null && value !== '') return value;
  throw invalid(900144, `The request body must contain the following parameter: '${name}'.`);
}

function invalid(code: number, message: string): AadstsRefusal {
  return new AadstsRefusal('invalid_request', [code], message, { isViolation: true });
}

function invalidGrant(code: number, message: string, options: { isViolation?: boolean } = {}): AadstsRefusal {
  return new AadstsRefusal('invalid_grant', [code], message, options);
}
