import type { Endpoint } from '../front/front.js';
import { html } from '../http/html.js';
import { jsonResponse, type HttpRequest } from '../http/message.js';
import { AuthorizationServer, type AuthorizationServerDeps } from '../oauth/authorization-server.js';
import type { OAuthClient } from '../oauth/clients.js';
import type { Dialect, Issue } from '../oauth/dialect.js';
import { OAuthErrorResponse, refusing } from '../oauth/errors.js';
import type { SigningKey } from '../oauth/signing-key.js';
import { consentForm, faultPage } from '../pages/layout.js';
import { Memory } from '../state/memory.js';

/** Path below the origin of the provider that holds the users. */
export const OPENID_PATH = '/oidc';
const LIFETIME_SECONDS = 300;

export interface Person {
  sub: string;
  email: string;
  name: string;
}

export interface OpenIdProviderDeps extends Omit<AuthorizationServerDeps, 'memory'> {
  signingKey: SigningKey;
  users: { all(): Person[]; find(email: string): Person | undefined };
  /** Creates an account for an unknown address. */
  createUser: (email: string) => Person;
}

/** A general OpenID Connect provider, without calendars. https://openid.net/specs/openid-connect-core-1_0.html */
export class OpenIdProvider {
  /** Not stored: clients are registered at every start. */
  readonly #memory = new Memory();
  readonly #server: AuthorizationServer<Person, OAuthClient>;
  readonly #unverified = new Set<string>();
  /** Time of the last account choice by `sub`, in any browser. */
  readonly #authenticatedMs = new Map<string, number>();
  readonly #endpoints: ReadonlyMap<string, Endpoint>;

  constructor(private readonly deps: OpenIdProviderDeps) {
    const server = new AuthorizationServer(this.#dialect(), { ...deps, memory: this.#memory });
    this.#server = server;
    this.#endpoints = new Map<string, Endpoint>([
      [
        `GET ${OPENID_PATH}/.well-known/openid-configuration`,
        { kind: 'discovery', answer: (request) => jsonResponse(200, configuration(issuerOf(request))) },
      ],
      [
        `GET ${OPENID_PATH}/jwks`,
        { kind: 'certs', answer: async () => jsonResponse(200, await deps.signingKey.keySet()) },
      ],
      [`GET ${OPENID_PATH}/authorize`, { kind: 'authorize', answer: (request) => server.authorize(request) }],
      [`POST ${OPENID_PATH}/token`, { kind: 'token', answer: (request) => server.token(request) }],
      ...server.pages(),
    ]);
  }

  /** Returns undefined for a path of another provider. */
  endpoint({ method, path }: HttpRequest): Endpoint | undefined {
    return this.#endpoints.get(`${method} ${path}`);
  }

  /** Adds a client, or replaces the one with the same id. */
  register(client: OAuthClient): void {
    this.#server.clients.put(client);
  }

  /** Sets `email_verified` of id_tokens. */
  setVerified(email: string, isVerified: boolean): void {
    if (isVerified) this.#unverified.delete(email.toLowerCase());
    else this.#unverified.add(email.toLowerCase());
  }

  /** Clears the state of sign-ins; registered clients stay. */
  reset(): void {
    this.#server.clearSignIns();
    this.#memory.clear('clients');
    this.#unverified.clear();
    this.#authenticatedMs.clear();
  }

  #dialect(): Dialect<Person, OAuthClient> {
    const { clock, signingKey, users, createUser } = this.deps;
    return {
      ...{ users, createUser },
      paths: { account: `${OPENID_PATH}/account`, consent: `${OPENID_PATH}/consent` },
      cookieName: 'openid_session',
      codePrefix: 'oidc-',
      tokens: { accessTokenPrefix: '', refreshTokenPrefix: '', unusedForMs: 0, liveRefreshTokens: 0 },
      refuse: refusing((reason, about) => ({
        message: `${reason} ${about}`.trim(),
        ...((reason === 'unknownClient' || reason === 'wrongSecret') && { status: 401 }),
      })),

      parameters: new Set([
        ...['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'nonce', 'prompt', 'max_age'],
        ...['login_hint', 'code_challenge', 'code_challenge_method'],
      ]),
      values: { prompt: /^login$/, max_age: /^\d{1,9}$/, code_challenge_method: /^S256$/ },
      returnsErrors: false,
      requiresChallenge: true,
      takesBasicOnly: true,
      readScopes(list) {
        const scopes = list.split(' ');
        if (scopes.includes('openid')) return scopes;
        throw new OAuthErrorResponse('invalid_scope', 'scope must name openid.', { isViolation: true });
      },

      findHinted: (hint) => users.find(hint),
      shown: ({ name, email }) => ({ name, address: email }),
      chosen: ({ sub }) => void this.#authenticatedMs.set(sub, clock.nowMs()),
      asksAgain: ({ prompt, parameters }) => prompt.has('login') || parameters.get('max_age') === '0',
      alwaysAsksConsent: true,
      faultPage: ({ message }) => faultPage('This sign-in is not possible', message),
      consentPage: (facts) =>
        consentForm(facts, {
          title: 'Sign in',
          heading: `Sign in to ${facts.clientId}`,
          asked: html`<ul>
            <li class="scope"><span>Know your name and your email address</span></li>
          </ul>`,
        }),
      codeResponse: () => ({}),
      errorResponse: ({ error }) => ({ error }),
      // RFC 9207
      issuerResponse: (request) => ({ iss: issuerOf(request) }),

      isOffline: () => false,
      renewal: () => 'keep',
      scopeText: (scopes) => [...scopes].join(' '),
      idToken: (issue) => signingKey.sign(this.#claims(issue)),
      tokenResponse: (status, body) =>
        jsonResponse(status, body, { headers: { 'cache-control': 'no-store', pragma: 'no-cache' } }),
      errorBody: ({ error }) => ({ error }),
    };
  }

  #claims({ grant: { user, clientId }, scopes, request, httpRequest }: Issue<Person>): Record<string, unknown> {
    const { sub, email, name } = user;
    const iat = Math.floor(this.deps.clock.nowMs() / 1000);
    return {
      ...{ iss: issuerOf(httpRequest), sub, aud: clientId, iat, exp: iat + LIFETIME_SECONDS },
      ...(request?.nonce != null && { nonce: request.nonce }),
      ...(request?.parameters.has('max_age') === true && {
        auth_time: Math.floor((this.#authenticatedMs.get(sub) ?? 0) / 1000),
      }),
      ...(scopes.has('email') && { email, email_verified: !this.#unverified.has(email.toLowerCase()) }),
      ...(scopes.has('profile') && { name }),
    };
  }
}

/** Uses the requested host, because one machine has several names. */
function issuerOf({ headers }: HttpRequest): string {
  return `http://${headers['host']}${OPENID_PATH}`;
}

/** OpenID Connect Discovery §3 */
function configuration(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'email', 'profile'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}
