import { isEmail } from '../accounts.js';
import type { Endpoint } from '../front/front.js';
import { htmlAnswer } from '../http/html.js';
import { formOf, jsonAnswer, seeOther, type HttpAnswer, type HttpRequest } from '../http/message.js';
import { AuthorizationCodes } from '../oauth/authorization-codes.js';
import { BrowserSessions } from '../oauth/browser-sessions.js';
import { basicCredentials, isSameSecret } from '../oauth/client-authentication.js';
import { verifiesChallenge } from '../oauth/code-challenge.js';
import { Interactions, type Interaction } from '../oauth/interactions.js';
import type { SigningKey } from '../oauth/signing-key.js';
import { accountChooser } from '../pages/account-chooser.js';
import {
  parseAuthenticationRequest,
  RequestFault,
  type AuthenticationRequest,
  type OpenIdClient,
} from './authorization-request.js';
import { identityConsent, identityFault } from './consent.js';

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

export interface OpenIdProviderDeps {
  clock: { nowMs(): number };
  signingKey: SigningKey;
  people: { all(): Person[]; find(email: string): Person | undefined };
  /** Makes an account for an address that has none. */
  createPerson(email: string): Person;
  violation(request: HttpRequest, message: string): void;
}

/** What a code stands for. */
interface Authentication {
  request: AuthenticationRequest;
  person: Person;
}

/**
 * A provider of OpenID Connect like any other: it knows who people are, and nothing about calendars.
 * https://openid.net/specs/openid-connect-core-1_0.html
 */
export class OpenIdProvider {
  readonly #clients = new Map<string, OpenIdClient>();
  readonly #codes: AuthorizationCodes<Authentication>;
  readonly #sessions = new BrowserSessions<Person>('openid_session');
  readonly #interactions = new Interactions<AuthenticationRequest, Person>();
  readonly #unverified = new Set<string>();
  /** By `sub`: when somebody was last chosen, at whatever browser. */
  readonly #authenticatedMs = new Map<string, number>();
  readonly #endpoints: ReadonlyMap<string, Endpoint>;

  constructor(private readonly deps: OpenIdProviderDeps) {
    this.#codes = new AuthorizationCodes(deps.clock, 'oidc-');
    this.#endpoints = new Map<string, Endpoint>([
      [
        `GET ${OPENID_PATH}/.well-known/openid-configuration`,
        { kind: 'discovery', answer: (request) => jsonAnswer(200, configuration(issuerOf(request))) },
      ],
      [
        `GET ${OPENID_PATH}/jwks`,
        { kind: 'certs', answer: async () => jsonAnswer(200, await deps.signingKey.keySet()) },
      ],
      [`GET ${OPENID_PATH}/authorize`, { kind: 'authorize', answer: (request) => this.#authorize(request) }],
      [`POST ${OPENID_PATH}/account`, { kind: 'page', answer: (request) => this.#chooseAccount(request) }],
      [`POST ${OPENID_PATH}/consent`, { kind: 'page', answer: (request) => this.#decide(request) }],
      [`POST ${OPENID_PATH}/token`, { kind: 'token', answer: (request) => this.#tokens(request) }],
    ]);
  }

  /** undefined: nothing of the OpenID provider's is at this address. */
  endpoint({ method, path }: HttpRequest): Endpoint | undefined {
    return this.#endpoints.get(`${method} ${path}`);
  }

  /** A client with the same id takes the place of the old one. */
  register(client: OpenIdClient): void {
    this.#clients.set(client.clientId, client);
  }

  /** Whether id_tokens say that the address is the person's. */
  setVerified(email: string, isVerified: boolean): void {
    if (isVerified) this.#unverified.delete(email.toLowerCase());
    else this.#unverified.add(email.toLowerCase());
  }

  /** Forgets what happened; clients stay, as their configuration does. */
  reset(): void {
    this.#codes.clear();
    this.#sessions.clear();
    this.#interactions.clear();
    this.#unverified.clear();
    this.#authenticatedMs.clear();
  }

  #authorize(httpRequest: HttpRequest): HttpAnswer {
    let request: AuthenticationRequest;
    try {
      request = parseAuthenticationRequest(httpRequest.query, (clientId) => this.#clients.get(clientId));
    } catch (error) {
      if (!(error instanceof RequestFault)) throw error;
      this.deps.violation(httpRequest, error.message);
      return htmlAnswer(400, identityFault(error.message));
    }
    const interaction = this.#interactions.begin(request);
    const [known, ...others] = this.#sessions.usersOf(httpRequest);
    return known !== undefined && others.length === 0 && !request.again
      ? this.#consent(interaction, known)
      : this.#chooser(interaction);
  }

  #chooseAccount(httpRequest: HttpRequest): HttpAnswer {
    const form = formOf(httpRequest);
    const interaction = this.#interactions.find(form.get('interaction'));
    if (interaction === undefined) return lostInteraction();
    const email = form.get('email')?.trim() ?? '';
    if (!isEmail(email)) return this.#chooser(interaction, 'Enter an email address, such as name@example.com.');
    const person = this.deps.people.find(email) ?? this.deps.createPerson(email);
    this.#authenticatedMs.set(person.sub, this.deps.clock.nowMs());
    const answer = this.#consent(interaction, person);
    return { ...answer, headers: { ...answer.headers, 'set-cookie': this.#sessions.signIn(httpRequest, person) } };
  }

  #decide(httpRequest: HttpRequest): HttpAnswer {
    const form = formOf(httpRequest);
    const interaction = this.#interactions.find(form.get('interaction'));
    if (interaction === undefined || interaction.user === null) return lostInteraction();
    this.#interactions.end(interaction);
    const { request, user: person } = interaction;
    const answer: Record<string, string> =
      form.get('decision') === 'allow' ? { code: this.#codes.issue({ request, person }) } : { error: 'access_denied' };
    const url = new URL(request.redirectUri);
    if (request.state !== null) url.searchParams.append('state', request.state);
    for (const [name, value] of Object.entries({ ...answer, iss: issuerOf(httpRequest) })) {
      url.searchParams.append(name, value);
    }
    return seeOther(url.href);
  }

  async #tokens(request: HttpRequest): Promise<HttpAnswer> {
    const form = formOf(request);
    const client = this.#authenticated(request);
    if (client === null) return tokenAnswer(401, { error: 'invalid_client' });
    if (form.get('grant_type') !== 'authorization_code') return tokenAnswer(400, { error: 'unsupported_grant_type' });
    const code = form.get('code') ?? '';
    const found = this.#codes.stateOf(code) === 'good' ? this.#codes.find(code) : undefined;
    const isTheirs =
      found?.request.clientId === client.clientId && found.request.redirectUri === form.get('redirect_uri');
    if (!isTheirs || !verifiesChallenge(found.request.challenge, form.get('code_verifier') ?? '')) {
      return tokenAnswer(400, { error: 'invalid_grant' });
    }
    this.#codes.use(code);
    return tokenAnswer(200, {
      access_token: 'opens-nothing',
      token_type: 'Bearer',
      expires_in: LIFETIME_SECONDS,
      id_token: await this.#idToken(found, issuerOf(request)),
    });
  }

  #authenticated({ headers }: HttpRequest): OpenIdClient | null {
    const given = basicCredentials(headers['authorization']);
    const client = this.#clients.get(given?.clientId ?? '');
    return given !== undefined && client !== undefined && isSameSecret(given.clientSecret, client.clientSecret)
      ? client
      : null;
  }

  #idToken({ request, person: { sub, email, name } }: Authentication, iss: string): Promise<string> {
    const iat = Math.floor(this.deps.clock.nowMs() / 1000);
    return this.deps.signingKey.sign({
      ...{ iss, sub, aud: request.clientId, iat, exp: iat + LIFETIME_SECONDS },
      ...(request.nonce !== null && { nonce: request.nonce }),
      ...(request.wantsAuthTime && { auth_time: Math.floor((this.#authenticatedMs.get(sub) ?? 0) / 1000) }),
      ...(request.scopes.has('email') && { email, email_verified: !this.#unverified.has(email.toLowerCase()) }),
      ...(request.scopes.has('profile') && { name }),
    });
  }

  #chooser({ id, request }: Interaction<AuthenticationRequest, Person>, problem: string | null = null): HttpAnswer {
    const accounts = this.deps.people.all().map(({ name, email }) => ({ name, address: email }));
    const chooser = { interaction: id, clientId: request.clientId, accounts, hint: null, problem };
    return htmlAnswer(200, accountChooser({ action: `${OPENID_PATH}/account`, ...chooser }));
  }

  #consent(interaction: Interaction<AuthenticationRequest, Person>, person: Person): HttpAnswer {
    interaction.user = person;
    const { id, request } = interaction;
    return htmlAnswer(
      200,
      identityConsent({
        action: `${OPENID_PATH}/consent`,
        interaction: id,
        clientId: request.clientId,
        email: person.email,
      }),
    );
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

function lostInteraction(): HttpAnswer {
  return htmlAnswer(400, identityFault('It is over or was never begun. Start again from where you came.'));
}

/** RFC 6749 §5.1 */
function tokenAnswer(status: number, body: Record<string, unknown>): HttpAnswer {
  return jsonAnswer(status, body, { headers: { 'cache-control': 'no-store', pragma: 'no-cache' } });
}
