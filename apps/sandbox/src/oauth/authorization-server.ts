import { isEmail } from '../accounts.js';
import type { Endpoint } from '../front/front.js';
import { htmlResponse, type Html } from '../http/html.js';
import { formOf, mediaType, seeOther, type HttpResponse, type HttpRequest } from '../http/message.js';
import { accountChooser } from '../pages/account-chooser.js';
import type { Memory } from '../state/memory.js';
import { AuthorizationCodes } from './authorization-codes.js';
import { BrowserSessions } from './browser-sessions.js';
import { basicCredentials, isSameSecret } from './client-authentication.js';
import { Clients, type OAuthClient } from './clients.js';
import { isWellFormedChallenge, verifiesChallenge, type CodeChallenge } from './code-challenge.js';
import type { Authorization, AuthorizationRequest, Dialect, Issue, PageFacts, ReturnAddress } from './dialect.js';
import { ACCESS_TOKEN_SECONDS, Grants, type Grant, type TokenRules } from './grants.js';
import { Interactions, type Interaction } from './interactions.js';
import { OAuthErrorResponse } from './errors.js';

const TOKEN_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  authorization_code: ['grant_type', 'client_id', 'client_secret', 'code', 'redirect_uri', 'code_verifier'],
  refresh_token: ['grant_type', 'client_id', 'client_secret', 'refresh_token'],
};

export interface AuthorizationServerDeps {
  /** Stores clients, grants and tokens. */
  memory: Memory;
  clock: { nowMs(): number };
  violation(request: HttpRequest, message: string): void;
}

/** Authorization endpoint with its pages, and token endpoint (RFC 6749 §3). */
export class AuthorizationServer<User, Client extends OAuthClient> {
  readonly clients: Clients<Client>;
  readonly grants: Grants<User>;
  readonly #codes: AuthorizationCodes<Authorization<User>>;
  readonly #sessions: BrowserSessions<User>;
  readonly #interactions = new Interactions<AuthorizationRequest, User>();

  constructor(
    private readonly dialect: Dialect<User, Client>,
    private readonly deps: AuthorizationServerDeps,
  ) {
    this.clients = new Clients(deps.memory);
    this.#codes = new AuthorizationCodes(deps.clock, dialect.codePrefix);
    this.#sessions = new BrowserSessions(dialect.cookieName);
    const rules: TokenRules<User> = {
      ...dialect.tokens,
      hasEnded: (token, nowMs) => dialect.hasEnded?.(token, this.clients.find(token.grant.clientId), nowMs) === true,
      hasClient: (clientId) => this.clients.find(clientId) !== undefined,
      addressOf: (user) => dialect.shown(user).address,
    };
    this.grants = new Grants(deps.clock, rules, deps.memory);
  }

  /** Pages by method and path. */
  pages(): [string, Endpoint][] {
    const { account, consent, approval } = this.dialect.paths;
    const page = (name: string, answer: Endpoint['answer']): [string, Endpoint] => [name, { kind: 'page', answer }];
    return [
      page(`POST ${account}`, (request) => this.#chooseAccount(request)),
      page(`GET ${consent}`, ({ query }) => this.#shown(query, consent)),
      page(`POST ${consent}`, (request) => this.#decide(request)),
      ...(approval === undefined
        ? []
        : [
            page(`GET ${approval}`, ({ query }) => this.#shown(query, approval)),
            page(`POST ${approval}`, (request) => this.#giveUp(request)),
          ]),
    ];
  }

  authorize(httpRequest: HttpRequest, tenant = ''): HttpResponse {
    return this.#refusing(httpRequest, null, () => {
      const to = this.#returnAddress(httpRequest.query, tenant);
      return this.#refusing(httpRequest, to, () => {
        const request = this.#read(httpRequest.query, tenant, to);
        const user = this.#knownUser(httpRequest, request);
        if (request.prompt.has('none')) return this.#silently(httpRequest, request, user);
        const interaction = this.#interactions.begin(request);
        return user === null ? this.#chooser(interaction, null) : this.#proceed(httpRequest, interaction, user);
      });
    });
  }

  async token(httpRequest: HttpRequest, tenant = ''): Promise<HttpResponse> {
    const { dialect } = this;
    try {
      const form = this.#readForm(httpRequest);
      const client = this.#authenticated(httpRequest, form, tenant);
      const isRefresh = form.get('grant_type') === 'refresh_token';
      const redeem = isRefresh ? this.#refresh : this.#exchange;
      return dialect.tokenResponse(200, await redeem.call(this, httpRequest, client, form, tenant));
    } catch (error) {
      if (!(error instanceof OAuthErrorResponse)) throw error;
      if (error.options.isViolation === true) this.deps.violation(httpRequest, error.message);
      return dialect.tokenResponse(error.options.status ?? 400, dialect.errorBody(error));
    }
  }

  /** Returns the address of a token request's user, if known. */
  subject(httpRequest: HttpRequest): string | null {
    const form = formOf(httpRequest);
    const grant =
      this.grants.refreshToken(form.get('refresh_token') ?? '')?.grant ??
      this.#codes.find(form.get('code') ?? '')?.authorization.grant;
    return grant === undefined ? null : this.dialect.shown(grant.user).address;
  }

  /** Revokes all grants and ends all sessions of a deleted user. */
  removeUser(user: User): void {
    this.grants.revoke(user);
    this.#sessions.signOut(user);
  }

  /** Clears pending sign-ins. */
  clearSignIns(): void {
    this.#codes.clear();
    this.#sessions.clear();
    this.#interactions.clear();
  }

  /** @throws OAuthErrorResponse for a page, because the client's redirect URI is not verified */
  #returnAddress(query: URLSearchParams, tenant: string): ReturnAddress {
    const { refuse } = this.dialect;
    const client = this.#registered(this.#required(query, 'client_id'), tenant);
    const redirectUri = this.#required(query, 'redirect_uri');
    if (!client.redirectUris.includes(redirectUri)) throw refuse('redirectUri', redirectUri);
    return { redirectUri, state: query.get('state') };
  }

  #registered(clientId: string, tenant: string): Client {
    const client = this.clients.find(clientId);
    if (client === undefined) {
      throw this.dialect.refuse(this.clients.wasDeleted(clientId) ? 'deletedClient' : 'unknownClient', clientId);
    }
    this.dialect.checkClient?.(client, tenant);
    return client;
  }

  #read(query: URLSearchParams, tenant: string, to: ReturnAddress): AuthorizationRequest {
    const { refuse, parameters, values, readScopes } = this.dialect;
    for (const [name, value] of query) {
      if (!parameters.has(name)) throw refuse('unknownParameter', name);
      if (query.getAll(name).length > 1) throw refuse('repeatedParameter', name);
      if (values[name]?.test(value) === false) throw refuse('badValue', name);
    }
    const responseType = this.#required(query, 'response_type');
    if (responseType !== 'code') throw refuse('responseType', responseType);
    return {
      ...to,
      tenant,
      clientId: this.#required(query, 'client_id'),
      scopes: readScopes(this.#required(query, 'scope')),
      loginHint: query.get('login_hint'),
      prompt: new Set((query.get('prompt') ?? '').split(' ').filter((value) => value !== '')),
      challenge: this.#challengeOf(query),
      nonce: query.get('nonce'),
      parameters: query,
    };
  }

  /** RFC 7636 §4.3; the default method is plain. */
  #challengeOf(query: URLSearchParams): CodeChallenge | null {
    const { refuse, requiresChallenge = false } = this.dialect;
    const value = query.get('code_challenge');
    const method = query.get('code_challenge_method') === 'S256' ? 'S256' : 'plain';
    if (requiresChallenge && (value === null || method === 'plain')) throw refuse('badChallenge');
    if (value === null) {
      if (query.has('code_challenge_method')) throw refuse('missingParameter', 'code_challenge');
      return null;
    }
    if (!isWellFormedChallenge({ value, method })) throw refuse('badChallenge');
    return { value, method };
  }

  /** Returns the only possible user of the request; null when the user has to choose. */
  #knownUser(httpRequest: HttpRequest, request: AuthorizationRequest): User | null {
    const { dialect } = this;
    if (dialect.asksAgain(request)) return null;
    const signedIn = this.#sessions.usersOf(httpRequest).filter((user) => this.#admits(request, user));
    if (request.loginHint === null) return signedIn.length === 1 ? (signedIn[0] ?? null) : null;
    const hinted = dialect.findHinted(request.loginHint);
    return signedIn.find((user) => user === hinted) ?? null;
  }

  #admits({ tenant }: AuthorizationRequest, user: User): boolean {
    return this.dialect.admits?.(tenant, user) !== false;
  }

  #checkUser(request: AuthorizationRequest, user: User): void {
    this.dialect.checkUser?.(request, user, this.clients.find(request.clientId)!);
  }

  /** `prompt=none` (OpenID Connect Core §3.1.2.1) */
  #silently(httpRequest: HttpRequest, request: AuthorizationRequest, user: User | null): HttpResponse {
    const { refuse } = this.dialect;
    if (user === null) return this.#sendBack(httpRequest, request, refuse('noSession'));
    this.#checkUser(request, user);
    if (this.#needsConsent(request, user)) return this.#sendBack(httpRequest, request, refuse('noConsent'));
    return this.#authorized(httpRequest, request, user, false);
  }

  #chooser({ id, request }: Interaction<AuthorizationRequest, User>, problem: string | null): HttpResponse {
    const { paths, users, shown, findHinted } = this.dialect;
    const hinted = findHinted(request.loginHint ?? '');
    const accounts = users
      .all()
      .filter((user) => this.#admits(request, user))
      .map(shown);
    return htmlResponse(
      problem === null ? 200 : 400,
      accountChooser({
        ...{ action: paths.account, interaction: id, clientId: request.clientId, accounts, problem },
        hint: hinted === undefined ? request.loginHint : shown(hinted).address,
      }),
    );
  }

  /** Receives `email`, the chosen or typed account. */
  #chooseAccount(httpRequest: HttpRequest): HttpResponse {
    const { users, createUser, chosen } = this.dialect;
    const form = formOf(httpRequest);
    const interaction = this.#interaction(form);
    if (interaction === undefined) return this.#lostInteraction();
    const address = form.get('email')?.trim() ?? '';
    const known = users.find(address);
    if (known === undefined && !isEmail(address)) {
      return this.#chooser(interaction, 'Enter an email address, such as name@example.com.');
    }
    return this.#refusing(httpRequest, interaction.request, () => {
      const user = known ?? createUser(address);
      chosen?.(user);
      const setCookie = this.#sessions.signIn(httpRequest, user);
      const response = this.#proceed(httpRequest, interaction, user);
      return { ...response, headers: { ...response.headers, 'set-cookie': setCookie } };
    });
  }

  #proceed(httpRequest: HttpRequest, interaction: Interaction<AuthorizationRequest, User>, user: User): HttpResponse {
    const { paths } = this.dialect;
    const { id, request } = interaction;
    this.#checkUser(request, user);
    interaction.user = user;
    const goTo = (path: string): HttpResponse =>
      seeOther(`${path}?${new URLSearchParams({ interaction: id }).toString()}`);
    if (this.#needsApproval(request, user)) return goTo(paths.approval!);
    if (this.#needsConsent(request, user)) return goTo(paths.consent);
    this.#interactions.end(interaction);
    return this.#authorized(httpRequest, request, user, false);
  }

  #shown(parameters: URLSearchParams, action: string): HttpResponse {
    const { paths, shown, consentPage, approvalPage } = this.dialect;
    const interaction = this.#interaction(parameters);
    if (interaction?.user == null) return this.#lostInteraction();
    const { id, request, user } = interaction;
    const facts: PageFacts = { action, interaction: id, clientId: request.clientId, address: shown(user).address };
    const page: Html =
      action === paths.consent ? consentPage(facts, request, this.#granted(request, user)) : approvalPage!(facts);
    return htmlResponse(200, page);
  }

  /** Receives `decision` (`allow` or anything else) and fields of the page. */
  #decide(httpRequest: HttpRequest): HttpResponse {
    const { paths, refuse, allowedScopes } = this.dialect;
    const form = formOf(httpRequest);
    const interaction = this.#interaction(form);
    if (interaction?.user == null) return this.#lostInteraction();
    const { request, user } = interaction;
    if (this.#needsApproval(request, user)) return this.#shown(form, paths.approval!);
    this.#interactions.end(interaction);
    const allowed = allowedScopes?.(form, request, this.#granted(request, user)) ?? request.scopes;
    if (form.get('decision') !== 'allow' || allowed.length === 0) {
      return this.#sendBack(httpRequest, request, refuse('denied'));
    }
    this.grants.extend(user, request.clientId, allowed, request.scopes);
    return this.#authorized(httpRequest, { ...request, scopes: allowed }, user, true);
  }

  /** Returns to the client without a consent. */
  #giveUp(httpRequest: HttpRequest): HttpResponse {
    const interaction = this.#interaction(formOf(httpRequest));
    if (interaction === undefined) return this.#lostInteraction();
    this.#interactions.end(interaction);
    return this.#sendBack(httpRequest, interaction.request, this.dialect.refuse('needsAdministrator'));
  }

  #needsApproval(request: AuthorizationRequest, user: User): boolean {
    return this.dialect.needsApproval?.(user) === true && this.#needsConsent(request, user);
  }

  #needsConsent(request: AuthorizationRequest, user: User): boolean {
    if (this.dialect.alwaysAsksConsent === true || request.prompt.has('consent')) return true;
    const granted = this.#granted(request, user);
    return !request.scopes.every((scope) => granted.has(scope));
  }

  #granted({ clientId }: AuthorizationRequest, user: User): ReadonlySet<string> {
    const others = this.dialect.grantedByOthers?.(user, clientId) ?? [];
    return new Set([...(this.grants.find(user, clientId)?.scopes ?? []), ...others]);
  }

  #authorized(
    httpRequest: HttpRequest,
    request: AuthorizationRequest,
    user: User,
    wasConsentShown: boolean,
  ): HttpResponse {
    const { dialect } = this;
    const grant = this.grants.extend(user, request.clientId, request.scopes, request.scopes);
    const scopes = new Set(dialect.includesGranted?.(request) === true ? grant.scopes : request.scopes);
    const authorization = { request, grant, scopes, wasConsentShown };
    const code = this.#codes.issue(authorization);
    return this.#sendBack(httpRequest, request, { code, ...dialect.codeResponse(authorization) });
  }

  #interaction(parameters: URLSearchParams): Interaction<AuthorizationRequest, User> | undefined {
    const { users, shown } = this.dialect;
    const interaction = this.#interactions.find(parameters.get('interaction'));
    // The account or the client may have been deleted meanwhile.
    if (interaction === undefined || this.clients.find(interaction.request.clientId) === undefined) return undefined;
    const { user } = interaction;
    return user !== null && users.find(shown(user).address) !== user ? undefined : interaction;
  }

  #lostInteraction(): HttpResponse {
    const { faultPage, refuse } = this.dialect;
    return htmlResponse(400, faultPage(refuse('lostInteraction')));
  }

  /** @param to null shows refusals on a page */
  #refusing(httpRequest: HttpRequest, to: ReturnAddress | null, run: () => HttpResponse): HttpResponse {
    const { returnsErrors, faultPage } = this.dialect;
    try {
      return run();
    } catch (error) {
      if (!(error instanceof OAuthErrorResponse)) throw error;
      if (error.options.isViolation === true) this.deps.violation(httpRequest, error.message);
      const isReturned = returnsErrors && error.options.isReturned !== false;
      return to !== null && isReturned ? this.#sendBack(httpRequest, to, error) : htmlResponse(400, faultPage(error));
    }
  }

  /** Adds the response to the query of the redirect URI (RFC 6749 §4.1.2). */
  #sendBack(
    httpRequest: HttpRequest,
    to: ReturnAddress,
    response: Record<string, string> | OAuthErrorResponse,
  ): HttpResponse {
    const { errorResponse, issuerResponse } = this.dialect;
    const parameters = response instanceof OAuthErrorResponse ? errorResponse(response) : response;
    return sendBack(to, { ...parameters, ...issuerResponse?.(httpRequest) });
  }

  #readForm(httpRequest: HttpRequest): URLSearchParams {
    const { refuse, tokenParameters = [] } = this.dialect;
    if (mediaType(httpRequest) !== 'application/x-www-form-urlencoded') throw refuse('contentType');
    if ([...httpRequest.query].length > 0) throw refuse('parametersInQuery');
    const form = formOf(httpRequest);
    const grantType = this.#required(form, 'grant_type');
    const allowed = Object.hasOwn(TOKEN_PARAMETERS, grantType) ? TOKEN_PARAMETERS[grantType] : undefined;
    if (allowed === undefined) throw refuse('grantType', grantType);
    for (const name of form.keys()) {
      if (!allowed.includes(name) && !tokenParameters.includes(name)) throw refuse('unknownParameter', name);
      if (form.getAll(name).length > 1) throw refuse('repeatedParameter', name);
    }
    return form;
  }

  /** Accepts credentials in the body or with Basic (RFC 6749 §2.3.1), never both. */
  #authenticated({ headers }: HttpRequest, form: URLSearchParams, tenant: string): Client {
    const { refuse, takesBasicOnly = false } = this.dialect;
    const basic = basicCredentials(headers['authorization']);
    if (basic !== undefined && form.has('client_secret')) throw refuse('twoAuthentications');
    if (headers['origin'] !== undefined) throw refuse('secretOfPage');
    const client = this.#registered(basic?.clientId ?? this.#required(form, 'client_id'), tenant);
    const secret = basic?.clientSecret ?? (takesBasicOnly ? null : form.get('client_secret'));
    if (secret === null) throw refuse('noSecret');
    if (!isSameSecret(secret, client.clientSecret)) throw refuse('wrongSecret', client.clientId);
    return client;
  }

  async #exchange(
    httpRequest: HttpRequest,
    client: Client,
    form: URLSearchParams,
    tenant: string,
  ): Promise<Record<string, unknown>> {
    const { refuse, isOffline, refreshTokensNeedConsentPage = false } = this.dialect;
    const code = this.#codes.find(this.#required(form, 'code'));
    const redirectUri = this.#required(form, 'redirect_uri');
    if (code === undefined) throw refuse('unknownCode');
    const { request, grant, wasConsentShown } = code.authorization;
    if (request.clientId !== client.clientId) throw refuse('foreignCode');
    if (code.isUsed) throw refuse('usedCode');
    if (this.deps.clock.nowMs() >= code.expiresAtMs) throw refuse('expiredCode');
    if (request.tenant !== tenant) throw refuse('codeOfOtherTenant');
    if (request.redirectUri !== redirectUri) throw refuse('codeRedirectUri', redirectUri);
    this.#verifyChallenge(request, form.get('code_verifier'));
    this.#requireLive(grant, 'foreignCode');
    code.isUsed = true;
    const scopes = this.#requested(form, code.authorization.scopes);
    const isForever = isOffline(scopes, request);
    const isRefreshable = isForever && (wasConsentShown || !refreshTokensNeedConsentPage);
    return this.#issued(
      { grant, scopes, request, httpRequest, accessToken: this.grants.issueAccessToken(grant, scopes, isForever) },
      isRefreshable ? this.grants.issueRefreshToken(grant, scopes) : null,
    );
  }

  async #refresh(
    httpRequest: HttpRequest,
    client: Client,
    form: URLSearchParams,
    tenant: string,
  ): Promise<Record<string, unknown>> {
    const { grants, dialect } = this;
    const { refuse } = dialect;
    const token = grants.refreshToken(this.#required(form, 'refresh_token'));
    if (token === undefined || token.grant.clientId !== client.clientId) throw refuse('unknownRefreshToken');
    const { grant } = token;
    this.#requireLive(grant, 'deadRefreshToken');
    if (!grants.isLive(token)) throw refuse('deadRefreshToken');
    dialect.checkRefresh?.(tenant, token);
    const requested = this.#requested(form, token.scopes);
    const scopes = new Set([...requested].filter((scope) => grant.scopes.has(scope)));
    if (dialect.failsWithoutScope === true && scopes.size < requested.size) throw refuse('notConsented');
    grants.recordUse(token);
    const isForever = dialect.isOffline(token.scopes, null);
    const renewal = isForever ? dialect.renewal(client) : 'keep';
    if (renewal === 'replace') grants.endRefreshToken(token);
    return this.#issued(
      { grant, scopes, request: null, httpRequest, accessToken: grants.issueAccessToken(grant, scopes, isForever) },
      renewal === 'keep' ? null : grants.issueRefreshToken(grant, token.scopes),
    );
  }

  #requireLive(grant: Grant<User>, otherwise: 'foreignCode' | 'deadRefreshToken'): void {
    this.dialect.checkGrant?.(grant);
    if (grant.isRevoked) throw this.dialect.refuse(otherwise);
  }

  /** @throws OAuthErrorResponse beyond the granted scopes */
  #requested(form: URLSearchParams, granted: ReadonlySet<string>): ReadonlySet<string> {
    const list = form.get('scope');
    if (list === null) return granted;
    const scopes = this.dialect.readScopes(list);
    if (scopes.every((scope) => granted.has(scope))) return new Set(scopes);
    throw this.dialect.refuse('notConsented');
  }

  /** RFC 7636 §4.6 */
  #verifyChallenge({ challenge }: AuthorizationRequest, verifier: string | null): void {
    const { refuse } = this.dialect;
    if (challenge === null) {
      if (verifier !== null) throw refuse('needlessVerifier');
      return;
    }
    if (verifier === null) throw refuse('missingVerifier');
    if (!verifiesChallenge(challenge, verifier)) throw refuse('wrongVerifier');
  }

  async #issued(issue: Issue<User>, refreshToken: string | null): Promise<Record<string, unknown>> {
    const { scopeText, moreFields, idToken } = this.dialect;
    return {
      access_token: issue.accessToken,
      token_type: 'Bearer',
      expires_in: ACCESS_TOKEN_SECONDS,
      ...moreFields?.(issue),
      scope: scopeText(issue.scopes),
      ...(refreshToken !== null && { refresh_token: refreshToken }),
      ...(issue.scopes.has('openid') && { id_token: await idToken(issue) }),
    };
  }

  #required(parameters: URLSearchParams, name: string): string {
    const value = parameters.get(name);
    if (value === null || value === '') throw this.dialect.refuse('missingParameter', name);
    return value;
  }
}

export function sendBack({ redirectUri, state }: ReturnAddress, response: Record<string, string>): HttpResponse {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(response)) url.searchParams.append(name, value);
  if (state !== null) url.searchParams.append('state', state);
  return seeOther(url.href);
}
