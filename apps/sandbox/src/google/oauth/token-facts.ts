import type { AccessToken, Grants } from '../../oauth/grants.js';
import { bearerToken, formOf, jsonResponse, type HttpResponse, type HttpRequest } from '../../http/message.js';
import type { GoogleUser } from '../contract.js';
import { allowsEmail, scopeList } from './scopes.js';

const NO_STORE = { 'cache-control': 'no-store' };

/** Endpoints for information about a token or its user, and for revocation. */
export class TokenFacts {
  constructor(
    private readonly grants: Grants<GoogleUser>,
    private readonly clock: { nowMs(): number },
  ) {}

  /** `GET|POST /tokeninfo` of an access token in the query, the body or the header. */
  tokenInfo(request: HttpRequest): HttpResponse {
    const token = this.#accessToken(givenToken(request, 'access_token') ?? bearerToken(request));
    if (token === undefined) return refusal(400, 'invalid_token', 'Invalid Value');
    const { grant, expiresAtMs, isOffline } = token;
    const scopes = this.grants.scopesOf(token);
    return jsonResponse(
      200,
      {
        azp: grant.clientId,
        aud: grant.clientId,
        sub: grant.user.sub,
        scope: scopeList(scopes),
        exp: String(Math.floor(expiresAtMs / 1000)),
        expires_in: String(Math.floor((expiresAtMs - this.clock.nowMs()) / 1000)),
        ...(allowsEmail(scopes) && { email: grant.user.email, email_verified: 'true' }),
        access_type: isOffline ? 'offline' : 'online',
      },
      { headers: NO_STORE, indent: 2 },
    );
  }

  /** `GET /oauth2/v3/userinfo`, for a token with `openid` (OpenID Connect Core §5.3). */
  userInfo(request: HttpRequest): HttpResponse {
    const token = this.#accessToken(bearerToken(request));
    const scopes = token === undefined ? null : this.grants.scopesOf(token);
    if (token === undefined || !scopes?.has('openid')) return refusal(401, 'invalid_request', 'Invalid Credentials');
    const { sub, email } = token.grant.user;
    return jsonResponse(
      200,
      { sub, ...(allowsEmail(scopes) && { email, email_verified: true }) },
      { headers: NO_STORE, indent: 2 },
    );
  }

  /** `POST /revoke` (RFC 7009): ends the whole grant. */
  revoke(request: HttpRequest): HttpResponse {
    const token = givenToken(request, 'token');
    if (token === null) return refusal(400, 'invalid_request', 'Missing required parameter: token');
    if (!this.grants.revokeByToken(token)) return refusal(400, 'invalid_token', 'Token expired or revoked');
    return jsonResponse(200, {}, { headers: NO_STORE });
  }

  /** Returns the user of a request's token, even of an invalid one. */
  subject(request: HttpRequest): GoogleUser | undefined {
    const text = givenToken(request, 'token') ?? givenToken(request, 'access_token') ?? bearerToken(request) ?? '';
    return (this.grants.refreshToken(text) ?? this.grants.accessToken(text))?.grant.user;
  }

  #accessToken(text: string | undefined): AccessToken<GoogleUser> | undefined {
    const token = this.grants.accessToken(text ?? '');
    return token !== undefined && this.grants.isLive(token) ? token : undefined;
  }
}

function givenToken(request: HttpRequest, name: string): string | null {
  return request.query.get(name) ?? formOf(request).get(name);
}

function refusal(status: number, error: string, description: string): HttpResponse {
  return jsonResponse(status, { error, error_description: description }, { headers: NO_STORE, indent: 2 });
}
