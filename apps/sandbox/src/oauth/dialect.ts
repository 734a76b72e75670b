import type { Html } from '../http/html.js';
import type { HttpAnswer, HttpRequest } from '../http/message.js';
import type { OAuthClient } from './clients.js';
import type { CodeChallenge } from './code-challenge.js';
import type { Grant, RefreshToken, TokenRules } from './grants.js';
import type { OAuthRefusal, Refuse } from './refusals.js';

/** An authorization request (RFC 6749 §4.1.1) that is in order. */
export interface AuthorizationRequest {
  /** The segment of the path that says whose users are meant, where a provider has one; else empty. */
  tenant: string;
  clientId: string;
  redirectUri: string;
  /** As the provider names them. */
  scopes: readonly string[];
  state: string | null;
  loginHint: string | null;
  prompt: ReadonlySet<string>;
  challenge: CodeChallenge | null;
  nonce: string | null;
  /** All that was sent: what one provider alone knows is read from it. */
  parameters: URLSearchParams;
}

/** Where an answer goes, good or bad. */
export type ReturnAddress = Pick<AuthorizationRequest, 'redirectUri' | 'state'>;

/** What a code stands for. */
export interface Authorization<User> {
  request: AuthorizationRequest;
  grant: Grant<User>;
  scopes: ReadonlySet<string>;
  /** The user saw the consent page for it. */
  wasConsentShown: boolean;
}

/** What a page of the sign-in tells, and where its form goes. */
export interface PageFacts {
  action: string;
  interaction: string;
  clientId: string;
  /** Of the user. */
  address: string;
}

/** Tokens that are about to be given out. */
export interface Issue<User> {
  grant: Grant<User>;
  scopes: ReadonlySet<string>;
  accessToken: string;
  /** null at a refresh. */
  request: AuthorizationRequest | null;
  httpRequest: HttpRequest;
}

/** What one provider has of its own: all of its sign-in that RFC 6749 leaves open. */
export interface Dialect<User, Client extends OAuthClient> {
  /** Of the pages. */
  paths: { account: string; consent: string; approval?: string };
  /** Cookies know no ports: two providers on one host need two names. */
  cookieName: string;
  codePrefix: string;
  tokens: Omit<TokenRules<User>, 'hasEnded' | 'hasClient' | 'addressOf'>;
  refuse: Refuse;

  /** Parameters of an authorization request; a page or the client is told of others. */
  parameters: ReadonlySet<string>;
  /** What some of them may say. */
  values: Readonly<Record<string, RegExp>>;
  /** Whether clients, once known, are told of their faults. Else people are, on a page. */
  returnsRefusals: boolean;
  /** PKCE with S256, always (RFC 9700 §2.1.1). */
  requiresChallenge?: boolean;
  /** Of a token request, besides those of RFC 6749. */
  tokenParameters?: readonly string[];
  /** Client secrets in Authorization headers only. */
  takesBasicOnly?: boolean;

  /** @throws OAuthRefusal when the client is not made for the tenant */
  checkClient?: (client: Client, tenant: string) => void;
  /** @throws OAuthRefusal */
  readScopes: (list: string) => string[];

  users: { all: () => User[]; find: (address: string) => User | undefined };
  /** Whom a login_hint means. */
  findHinted: (hint: string) => User | undefined;
  /** Makes an account for an address that has none. */
  createUser: (address: string) => User;
  shown: (user: User) => { name: string; address: string };
  /** Whether the user may be chosen at all. */
  admits?: (tenant: string, user: User) => boolean;
  /** @throws OAuthRefusal when the user may not sign in with it */
  checkUser?: (request: AuthorizationRequest, user: User, client: Client) => void;
  /** The user was chosen. */
  chosen?: (user: User) => void;
  /** Whoever is signed in here is asked all the same. */
  asksAgain: (request: AuthorizationRequest) => boolean;
  /** Allowed by others than the user. */
  grantedByOthers?: (user: User, clientId: string) => ReadonlySet<string>;
  /** Consent is never remembered. */
  alwaysAsksConsent?: boolean;
  /** Whether others have to consent for the user. */
  needsApproval?: (user: User) => boolean;

  faultPage: (refusal: OAuthRefusal) => Html;
  consentPage: (facts: PageFacts, request: AuthorizationRequest, granted: ReadonlySet<string>) => Html;
  approvalPage?: (facts: PageFacts) => Html;
  /** What the user has allowed on the consent page. */
  allowedScopes?: (form: URLSearchParams, request: AuthorizationRequest, granted: ReadonlySet<string>) => string[];
  /** What goes back with a code. */
  codeAnswer: (authorization: Authorization<User>) => Record<string, string>;
  /** What goes back with a refusal. */
  refusalAnswer: (refusal: OAuthRefusal) => Record<string, string>;
  /** What goes back with everything. */
  issuerAnswer?: (request: HttpRequest) => Record<string, string>;

  includesGranted?: (request: AuthorizationRequest) => boolean;
  /** @param request null at a refresh */
  isOffline: (scopes: ReadonlySet<string>, request: AuthorizationRequest | null) => boolean;
  /** Whether a refresh token is given to those only who saw the consent page. */
  refreshTokensNeedConsentPage?: boolean;
  /** What a refresh does to the refresh token. */
  renewal: (client: Client) => 'keep' | 'add' | 'replace';
  hasEnded?: (token: RefreshToken<unknown>, client: Client | undefined, nowMs: number) => boolean;
  /** @throws OAuthRefusal when the account is no more */
  checkGrant?: (grant: Grant<User>) => void;
  /** @throws OAuthRefusal when the account is not the tenant's */
  checkRefresh?: (tenant: string, token: RefreshToken<User>) => void;
  /** Whether a refresh fails when the user has taken a scope away; else it brings the rest. */
  failsWithoutScope?: boolean;
  scopeText: (scopes: Iterable<string>) => string;
  /** Besides the fields of RFC 6749 §5.1. */
  moreFields?: (issue: Issue<User>) => Record<string, unknown>;
  idToken: (issue: Issue<User>) => Promise<string>;
  /** RFC 6749 §5.1, §5.2 */
  tokenAnswer: (status: number, body: Record<string, unknown>) => HttpAnswer;
  errorBody: (refusal: OAuthRefusal) => Record<string, unknown>;
}
