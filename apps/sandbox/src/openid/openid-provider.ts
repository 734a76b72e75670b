import type { Endpoint } from '../front/front.js';
import { html } from '../http/html.js';
import { jsonAnswer, type HttpRequest } from '../http/message.js';
import { AuthorizationServer, type AuthorizationServerDeps } from '../oauth/authorization-server.js';
import type { OAuthClient } from '../oauth/clients.js';
import type { Dialect, Issue } from '../oauth/dialect.js';
import { OAuthRefusal, refusing } from '../oauth/refusals.js';
import type { SigningKey } from '../oauth/signing-key.js';
import { consentForm, faultPage } from '../pages/layout.js';
import { Memory } from '../state/memory.js';

/** Below the origin of the people whom it knows. */
export const OPENID_PATH = '/oidc';
const LIFETIME_SECONDS = 300;

/** Somebody who can sign in. */
export interface Person {
  /** Permanent key. */
  sub: string;
  email: string;
  name: string;
}

export interface OpenIdProviderDeps extends Omit<AuthorizationServerDeps, 'memory'> {
  signingKey: SigningKey;
  users: { all(): Person[]; find(email: string): Person | undefined };
  /** Makes an account for an address that has none. */
  createUser: (email: string) => Person;
}

/**
 * A provider of OpenID Connect like any other: it knows who people are, and nothing about calendars.
 * https://openid.net/specs/openid-connect-core-1_0.html
 */
export class OpenIdProvider {
  /** Lasts as long as the process: clients are made anew at every start. */
  readonly #memory = new Memory();
  readonly #server: AuthorizationServer<Person, OAuthClient>;
  readonly #unverified = new Set<string>();
  /** By `sub`: when somebody was last chosen, at whatever browser. */
  readonly #authenticatedMs = new Map<string, number>();
  readonly #endpoints: ReadonlyMap<string, Endpoint>;

  constructor(private readonly deps: OpenIdProviderDeps) {
    const server = new AuthorizationServer(this.#dialect(), { ...deps, memory: this.#memory });
    this.#server = server;
    this.#endpoints = new Map<string, Endpoint>([
      [
        `GET ${OPENID_PATH}/.well-known/openid-configuration`,
        { kind: 'discovery', answer: (request) => jsonAnswer(200, configuration(issuerOf(request))) },
      ],
      [
        `GET ${OPENID_PATH}/jwks`,
        { kind: 'certs', answer: async () => jsonAnswer(200, await deps.signingKey.keySet()) },
      ],
      [`GET ${OPENID_PATH}/authorize`, { kind: 'authorize', answer: (request) => server.authorize(request) }],
      [`POST ${OPENID_PATH}/token`, { kind: 'token', answer: (request) => server.token(request) }],
      ...server.pages(),
    ]);
  }

  /** undefined: nothing of the OpenID provider's is at this address. */
  endpoint({ method, path }: HttpRequest): Endpoint | undefined {
    return this.#endpoints.get(`${method} ${path}`);
  }

  /** A client with the same id takes the place of the old one. */
  register(client: OAuthClient): void {
    this.#server.clients.put(client);
  }

  /** Whether id_tokens say that the address is the person's. */
  setVerified(email: string, isVerified: boolean): void {
    if (isVerified) this.#unverified.delete(email.toLowerCase());
    else this.#unverified.add(email.toLowerCase());
  }

  /** Forgets what happened; clients stay, as their configuration does. */
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
      returnsRefusals: false,
      requiresChallenge: true,
      takesBasicOnly: true,
      readScopes(list) {
        const scopes = list.split(' ');
        if (scopes.includes('openid')) return scopes;
        throw new OAuthRefusal('invalid_scope', 'scope must name openid.', { isViolation: true });
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
      codeAnswer: () => ({}),
      refusalAnswer: ({ error }) => ({ error }),
      // RFC 9207
      issuerAnswer: (request) => ({ iss: issuerOf(request) }),

      isOffline: () => false,
      renewal: () => 'keep',
      scopeText: (scopes) => [...scopes].join(' '),
      idToken: (issue) => signingKey.sign(this.#claims(issue)),
      tokenAnswer: (status, body) =>
        jsonAnswer(status, body, { headers: { 'cache-control': 'no-store', pragma: 'no-cache' } }),
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

/** Where it was asked: on one machine the same place has several names. */
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
