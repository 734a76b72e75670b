import { randomUUID } from 'node:crypto';
import { isEmail } from '../../accounts.js';
import { htmlAnswer, type Html } from '../../http/html.js';
import { formOf, seeOther, type HttpAnswer, type HttpRequest } from '../../http/message.js';
import type { AuthorizationCodes } from '../../oauth/authorization-codes.js';
import type { BrowserSessions } from '../../oauth/browser-sessions.js';
import type { Grants } from '../../oauth/grants.js';
import { Interactions, type Interaction } from '../../oauth/interactions.js';
import { accountChooser } from '../../pages/account-chooser.js';
import type { MicrosoftUser } from '../contract.js';
import { approvalPage, consentPage } from '../pages/consent.js';
import { faultPage } from '../pages/plain-pages.js';
import { addressOf, type MicrosoftUsers } from '../users.js';
import { AadstsRefusal } from './aadsts.js';
import type { Authorization } from './authorization.js';
import {
  parseAuthorizationRequest,
  ReturnedRefusal,
  type AuthorizationRequest,
  type ReturnAddress,
} from './authorization-request.js';
import type { MicrosoftClients } from './clients.js';
import { isWorkOnly } from './scopes.js';
import { admits, type Directories, type TenantSegment } from './tenants.js';

export const ACCOUNT_PATH = '/signin/account';
export const CONSENT_PATH = '/signin/consent';
export const APPROVAL_PATH = '/signin/approval';

type MicrosoftInteraction = Interaction<AuthorizationRequest, MicrosoftUser>;

export interface SignInDeps {
  clients: MicrosoftClients;
  users: MicrosoftUsers;
  directories: Directories;
  grants: Grants<MicrosoftUser>;
  codes: AuthorizationCodes<Authorization>;
  sessions: BrowserSessions<MicrosoftUser>;
  /** Makes an account for an address that has none. */
  createUser(address: string): MicrosoftUser;
  violation(request: HttpRequest, message: string): void;
}

/**
 * The authorization endpoint (RFC 6749 §3.1) and the pages behind it: choice of the account, consent, approval.
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow
 */
export class SignIn {
  readonly #interactions = new Interactions<AuthorizationRequest, MicrosoftUser>();

  constructor(private readonly deps: SignInDeps) {}

  /** `GET /{tenant}/oauth2/v2.0/authorize` */
  authorize(tenant: TenantSegment, httpRequest: HttpRequest): HttpAnswer {
    return this.#refusing(httpRequest, () => {
      const request = parseAuthorizationRequest(tenant, httpRequest.query, this.deps.clients);
      const user = this.#knownUser(httpRequest, request);
      if (request.prompt === 'none') return this.#silently(request, user);
      const interaction = this.#interactions.begin(request);
      return user === null ? this.#chooser(interaction, null) : this.#proceed(interaction, user);
    });
  }

  /** `POST /signin/account`: `email` of the account that the user chose or typed. */
  chooseAccount(httpRequest: HttpRequest): HttpAnswer {
    const form = formOf(httpRequest);
    const interaction = this.#interaction(form);
    if (interaction === undefined) return lostInteraction();
    const address = form.get('email')?.trim() ?? '';
    const known = this.deps.users.find(address);
    if (known === undefined && !isEmail(address)) {
      return this.#chooser(interaction, 'Enter a valid email address, such as name@example.com.');
    }
    return this.#refusing(httpRequest, () => {
      const user = known ?? this.deps.createUser(address);
      const setCookie = this.deps.sessions.signIn(httpRequest, user);
      const answer = this.#proceed(interaction, user);
      return { ...answer, headers: { ...answer.headers, 'set-cookie': setCookie } };
    });
  }

  /** `GET /signin/consent?interaction=…` */
  showConsent({ query }: HttpRequest): HttpAnswer {
    return this.#page(query, CONSENT_PATH, (shown, { scopes }) => consentPage({ ...shown, scopes }));
  }

  /** `POST /signin/consent`: `decision` = `allow` or anything else. */
  decide(httpRequest: HttpRequest): HttpAnswer {
    const form = formOf(httpRequest);
    const interaction = this.#interaction(form);
    if (interaction?.user == null) return lostInteraction();
    const { request, user } = interaction;
    if (this.#needsApproval(request, user)) return this.#page(form, APPROVAL_PATH, approvalPage);
    this.#interactions.end(interaction);
    if (form.get('decision') !== 'allow') {
      return sendBack(
        request,
        new AadstsRefusal('access_denied', [65004], 'User declined to consent to access the app.'),
      );
    }
    return this.#authorized(request, user);
  }

  /** `GET /signin/approval?interaction=…` */
  showApproval({ query }: HttpRequest): HttpAnswer {
    return this.#page(query, APPROVAL_PATH, approvalPage);
  }

  /** `POST /signin/approval`: back, with nothing. */
  giveUp(httpRequest: HttpRequest): HttpAnswer {
    const interaction = this.#interaction(formOf(httpRequest));
    if (interaction === undefined) return lostInteraction();
    this.#interactions.end(interaction);
    return sendBack(
      interaction.request,
      new AadstsRefusal(
        'access_denied',
        [90094],
        'An administrator of the tenant has set a policy that prevents you from granting the permissions.',
      ),
    );
  }

  clear(): void {
    this.#interactions.clear();
  }

  /** The one that the request can only mean; null: the user has to choose. */
  #knownUser(httpRequest: HttpRequest, { prompt, loginHint, tenant }: AuthorizationRequest): MicrosoftUser | null {
    if (prompt === 'select_account' || prompt === 'login') return null;
    const signedIn = this.deps.sessions.usersOf(httpRequest).filter((user) => admits(tenant, user));
    if (loginHint === null) return signedIn.length === 1 ? (signedIn[0] ?? null) : null;
    const hinted = this.deps.users.find(loginHint);
    return signedIn.find((user) => user === hinted) ?? null;
  }

  /** `prompt=none` */
  #silently(request: AuthorizationRequest, user: MicrosoftUser | null): HttpAnswer {
    if (user === null) {
      const message = 'A silent sign-in request was sent but no user is signed in.';
      return sendBack(request, new AadstsRefusal('login_required', [50058], message));
    }
    this.#requireAdmitted(request, user);
    if (!this.#needsConsent(request, user)) return this.#authorized(request, user);
    const message = `The user or administrator has not consented to use the application with ID '${request.clientId}'.`;
    return sendBack(request, new AadstsRefusal('consent_required', [65001], message));
  }

  #chooser({ id, request }: MicrosoftInteraction, problem: string | null): HttpAnswer {
    const accounts = this.deps.users
      .all()
      .filter((user) => admits(request.tenant, user))
      .map((user) => ({ name: user.displayName, address: addressOf(user) }));
    return htmlAnswer(
      problem === null ? 200 : 400,
      accountChooser({
        ...{ action: ACCOUNT_PATH, interaction: id, clientId: request.clientId },
        ...{ accounts, hint: request.loginHint, problem },
      }),
    );
  }

  #proceed(interaction: MicrosoftInteraction, user: MicrosoftUser): HttpAnswer {
    const { request } = interaction;
    this.#requireAdmitted(request, user);
    interaction.user = user;
    if (this.#needsApproval(request, user)) return seeOther(pageUrl(APPROVAL_PATH, interaction));
    if (this.#needsConsent(request, user)) return seeOther(pageUrl(CONSENT_PATH, interaction));
    this.#interactions.end(interaction);
    return this.#authorized(request, user);
  }

  /** @throws AadstsRefusal, ReturnedRefusal */
  #requireAdmitted(request: AuthorizationRequest, user: MicrosoftUser): void {
    const client = this.deps.clients.find(request.clientId);
    if (!admits(request.tenant, user) || !admits(client?.audience ?? '', user)) {
      const message = `User account '${addressOf(user)}' does not exist in tenant '${request.tenant}' and cannot access the application '${request.clientId}' in that tenant.`;
      throw new AadstsRefusal('invalid_request', [50020], message);
    }
    const refused = user.kind === 'personal' ? request.scopes.filter(isWorkOnly) : [];
    if (refused.length === 0) return;
    const message = `The scope '${refused.join(' ')}' isn't valid for personal Microsoft accounts.`;
    throw new ReturnedRefusal(request, new AadstsRefusal('invalid_scope', [70011], message));
  }

  #needsConsent(request: AuthorizationRequest, user: MicrosoftUser): boolean {
    return request.prompt === 'consent' || !this.#isCovered(request, user);
  }

  #needsApproval(request: AuthorizationRequest, user: MicrosoftUser): boolean {
    return (
      user.kind === 'work' &&
      this.deps.directories.policyOf(user.tid) === 'admin' &&
      (request.prompt === 'consent' || !this.#isCovered(request, user))
    );
  }

  /** By the user's own consent and the administrator's together. */
  #isCovered({ clientId, scopes }: AuthorizationRequest, user: MicrosoftUser): boolean {
    const own = this.deps.grants.find(user, clientId)?.scopes;
    const administrators = this.deps.directories.consentedTo(user.tid, clientId);
    return scopes.every((scope) => own?.has(scope) === true || administrators.has(scope));
  }

  #authorized(request: AuthorizationRequest, user: MicrosoftUser): HttpAnswer {
    const { tenant, clientId, redirectUri, challenge, nonce } = request;
    const grant = this.deps.grants.extend(user, clientId, request.scopes, request.scopes);
    const scopes = new Set(request.scopes);
    const code = this.deps.codes.issue({ tenant, clientId, redirectUri, challenge, nonce, grant, scopes });
    return sendBack(request, { code, session_state: randomUUID() });
  }

  #page(
    parameters: URLSearchParams,
    action: string,
    shown: (
      about: { action: string; interaction: string; clientId: string; address: string },
      request: AuthorizationRequest,
    ) => Html,
  ): HttpAnswer {
    const interaction = this.#interaction(parameters);
    if (interaction?.user == null) return lostInteraction();
    const { id, request, user } = interaction;
    const about = { action, interaction: id, clientId: request.clientId, address: addressOf(user) };
    return htmlAnswer(200, shown(about, request));
  }

  #interaction(parameters: URLSearchParams): MicrosoftInteraction | undefined {
    const interaction = this.#interactions.find(parameters.get('interaction'));
    // The account or the client may have gone while the page was open.
    if (interaction === undefined || this.deps.clients.find(interaction.request.clientId) === undefined) {
      return undefined;
    }
    const { user } = interaction;
    return user !== null && this.deps.users.find(addressOf(user)) !== user ? undefined : interaction;
  }

  #refusing(httpRequest: HttpRequest, run: () => HttpAnswer): HttpAnswer {
    try {
      return run();
    } catch (error) {
      if (error instanceof ReturnedRefusal) {
        if (error.refusal.options.isViolation === true) this.deps.violation(httpRequest, error.message);
        return sendBack(error.to, error.refusal);
      }
      if (!(error instanceof AadstsRefusal)) throw error;
      if (error.options.isViolation === true) this.deps.violation(httpRequest, error.message);
      return htmlAnswer(400, faultPage(error));
    }
  }
}

function pageUrl(path: string, { id }: MicrosoftInteraction): string {
  return `${path}?${new URLSearchParams({ interaction: id }).toString()}`;
}

function lostInteraction(): HttpAnswer {
  const message = 'This sign-in is over or was never begun. Start again from the application.';
  return htmlAnswer(400, faultPage(new AadstsRefusal('invalid_request', [165000], message)));
}

/** RFC 6749 §4.1.2: the answer goes into the query of the redirect URI, beside what that has already. */
export function sendBack(
  { redirectUri, state }: ReturnAddress,
  answer: Record<string, string> | AadstsRefusal,
): HttpAnswer {
  const url = new URL(redirectUri);
  const parameters =
    answer instanceof AadstsRefusal ? { error: answer.error, error_description: answer.description } : answer;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.append(name, value);
  if (state !== null) url.searchParams.append('state', state);
  return seeOther(url.href);
}
