import { isEmail } from '../../accounts.js';
import { htmlAnswer } from '../../http/html.js';
import { formOf, seeOther, type HttpAnswer, type HttpRequest } from '../../http/message.js';
import type { AuthorizationCodes } from '../../oauth/authorization-codes.js';
import type { BrowserSessions } from '../../oauth/browser-sessions.js';
import type { Grants } from '../../oauth/grants.js';
import { Interactions, type Interaction } from '../../oauth/interactions.js';
import { accountChooser } from '../../pages/account-chooser.js';
import type { GoogleUser } from '../contract.js';
import { consentPage, refusableScopes } from '../pages/consent.js';
import { faultPage } from '../pages/fault-page.js';
import type { UserDirectory } from '../users.js';
import type { Authorization } from './authorization.js';
import { AuthorizationFault, parseAuthorizationRequest, type AuthorizationRequest } from './authorization-request.js';
import type { ClientRegistry } from './clients.js';
import { ISSUER } from './id-tokens.js';
import { scopeList } from './scopes.js';

export const AUTHORIZE_PATH = '/o/oauth2/v2/auth';
export const ACCOUNT_PATH = '/signin/account';
export const CONSENT_PATH = '/signin/consent';

type GoogleInteraction = Interaction<AuthorizationRequest, GoogleUser>;

export interface SignInDeps {
  clients: ClientRegistry;
  users: UserDirectory;
  grants: Grants<GoogleUser>;
  codes: AuthorizationCodes<Authorization>;
  sessions: BrowserSessions<GoogleUser>;
  /** Makes an account for an address that has none. */
  createUser(email: string): GoogleUser;
  violation(request: HttpRequest, message: string): void;
}

/**
 * The authorization endpoint (RFC 6749 §3.1) and the pages behind it: choice of the account, consent.
 * https://developers.google.com/identity/protocols/oauth2/web-server
 */
export class SignIn {
  readonly #interactions = new Interactions<AuthorizationRequest, GoogleUser>();

  constructor(private readonly deps: SignInDeps) {}

  /** `GET /o/oauth2/v2/auth` */
  authorize(httpRequest: HttpRequest): HttpAnswer {
    let request: AuthorizationRequest;
    try {
      request = parseAuthorizationRequest(httpRequest.query, this.deps.clients);
    } catch (error) {
      if (!(error instanceof AuthorizationFault)) throw error;
      if (!error.isConfiguration) this.deps.violation(httpRequest, error.message);
      return htmlAnswer(400, faultPage(error));
    }
    const user = this.#knownUser(httpRequest, request);
    if (request.prompt.has('none')) {
      if (user === null || this.#needsConsent(request, user)) {
        return sendBack(request, { error: 'interaction_required', error_subtype: 'access_denied' });
      }
      return this.#authorized(request, user, { wasConsentShown: false });
    }
    const interaction = this.#interactions.begin(request);
    return user === null ? this.#chooser(interaction, null) : this.#proceed(interaction, user);
  }

  /** `POST /signin/account`: `email` of the account that the user chose or typed. */
  chooseAccount(httpRequest: HttpRequest): HttpAnswer {
    const form = formOf(httpRequest);
    const interaction = this.#interaction(form.get('interaction'));
    if (interaction === undefined) return lostInteraction();
    const email = form.get('email')?.trim() ?? '';
    if (!isEmail(email)) return this.#chooser(interaction, 'Enter an email address, such as name@example.com.');
    const user = this.deps.users.find(email) ?? this.deps.createUser(email);
    const setCookie = this.deps.sessions.signIn(httpRequest, user);
    const answer = this.#proceed(interaction, user);
    return { ...answer, headers: { ...answer.headers, 'set-cookie': setCookie } };
  }

  /** `GET /signin/consent?interaction=…` */
  showConsent({ query }: HttpRequest): HttpAnswer {
    const interaction = this.#interaction(query.get('interaction'));
    if (interaction === undefined || interaction.user === null) return lostInteraction();
    const { id, request, user } = interaction;
    return htmlAnswer(
      200,
      consentPage({
        action: CONSENT_PATH,
        interaction: id,
        clientId: request.clientId,
        user,
        requested: request.scopes,
        granted: this.#granted(request, user),
      }),
    );
  }

  /** `POST /signin/consent`: `decision`, and `scope` for each box that is ticked. */
  decide(httpRequest: HttpRequest): HttpAnswer {
    const form = formOf(httpRequest);
    const interaction = this.#interaction(form.get('interaction'));
    if (interaction === undefined || interaction.user === null) return lostInteraction();
    const { request, user } = interaction;
    this.#interactions.end(interaction);
    const ticked = new Set(form.getAll('scope'));
    const refused = new Set(
      refusableScopes(request.scopes, this.#granted(request, user)).filter((scope) => !ticked.has(scope)),
    );
    const allowed = request.scopes.filter((scope) => !refused.has(scope));
    if (form.get('decision') !== 'allow' || allowed.length === 0) return sendBack(request, { error: 'access_denied' });
    this.deps.grants.extend(user, request.clientId, allowed, request.scopes);
    return this.#authorized({ ...request, scopes: allowed }, user, { wasConsentShown: true });
  }

  clear(): void {
    this.#interactions.clear();
  }

  /** The one that the request can only mean; null: the user has to choose. */
  #knownUser(httpRequest: HttpRequest, { prompt, loginHint }: AuthorizationRequest): GoogleUser | null {
    if (prompt.has('select_account')) return null;
    const signedIn = this.deps.sessions.usersOf(httpRequest);
    if (loginHint === null) return signedIn.length === 1 ? (signedIn[0] ?? null) : null;
    const hinted = this.deps.users.find(loginHint) ?? this.deps.users.findBySub(loginHint);
    return signedIn.find((user) => user === hinted) ?? null;
  }

  #chooser({ id, request }: GoogleInteraction, problem: string | null): HttpAnswer {
    const accounts = this.deps.users.all().map(({ name, email }) => ({ name, address: email }));
    const chooser = { action: ACCOUNT_PATH, interaction: id, clientId: request.clientId, accounts, problem };
    const hint = this.deps.users.findBySub(request.loginHint ?? '')?.email ?? request.loginHint;
    return htmlAnswer(problem === null ? 200 : 400, accountChooser({ ...chooser, hint }));
  }

  #proceed(interaction: GoogleInteraction, user: GoogleUser): HttpAnswer {
    interaction.user = user;
    if (this.#needsConsent(interaction.request, user)) {
      return seeOther(`${CONSENT_PATH}?${new URLSearchParams({ interaction: interaction.id }).toString()}`);
    }
    this.#interactions.end(interaction);
    return this.#authorized(interaction.request, user, { wasConsentShown: false });
  }

  #needsConsent(request: AuthorizationRequest, user: GoogleUser): boolean {
    const granted = this.#granted(request, user);
    return request.prompt.has('consent') || !request.scopes.every((scope) => granted.has(scope));
  }

  #granted({ clientId }: AuthorizationRequest, user: GoogleUser): ReadonlySet<string> {
    return this.deps.grants.find(user, clientId)?.scopes ?? new Set();
  }

  #authorized(
    request: AuthorizationRequest,
    user: GoogleUser,
    { wasConsentShown }: { wasConsentShown: boolean },
  ): HttpAnswer {
    const grant = this.deps.grants.extend(user, request.clientId, request.scopes, request.scopes);
    const scopes = new Set(request.includeGrantedScopes ? grant.scopes : request.scopes);
    const { clientId, redirectUri, challenge, nonce, isOffline } = request;
    const code = this.deps.codes.issue({
      ...{ clientId, redirectUri, challenge, nonce, isOffline },
      ...{ grant, scopes, wasConsentShown },
    });
    return sendBack(request, {
      iss: ISSUER,
      code,
      scope: scopeList(scopes),
      authuser: '0',
      prompt: wasConsentShown ? 'consent' : 'none',
    });
  }

  #interaction(id: string | null): GoogleInteraction | undefined {
    const interaction = this.#interactions.find(id);
    // The account or the client may have gone while the page was open.
    if (interaction === undefined || this.deps.clients.find(interaction.request.clientId) === undefined)
      return undefined;
    const { user } = interaction;
    return user !== null && this.deps.users.find(user.email) !== user ? undefined : interaction;
  }
}

function lostInteraction(): HttpAnswer {
  const message = 'This sign-in is over or was never begun. Start again from the application.';
  return htmlAnswer(400, faultPage({ status: 400, code: 'invalid_request', message }));
}

/** RFC 6749 §4.1.2: the answer goes into the query of the redirect URI, beside what that has already. */
function sendBack({ redirectUri, state }: AuthorizationRequest, answer: Record<string, string>): HttpAnswer {
  const url = new URL(redirectUri);
  if (state !== null) url.searchParams.append('state', state);
  for (const [name, value] of Object.entries(answer)) url.searchParams.append(name, value);
  return seeOther(url.href);
}
