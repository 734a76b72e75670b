import type { Html } from '../http/html.js';
import type { HttpResponse, HttpRequest } from '../http/message.js';
import type { OAuthClient } from './clients.js';
import type { CodeChallenge } from './code-challenge.js';
import type { Grant, RefreshToken, TokenRules } from './grants.js';
import type { OAuthErrorResponse, Refuse } from './errors.js';

/** A valid authorization request (RFC 6749 §4.1.1). */
export interface AuthorizationRequest {
  /** Path segment for a group of users, if the provider has one; else empty. */
  tenant: string;
  clientId: string;
  redirectUri: string;
  scopes: readonly string[];
  state: string | null;
  loginHint: string | null;
  prompt: ReadonlySet<string>;
  challenge: CodeChallenge | null;
  nonce: string | null;
  /** All parameters, for those of a single provider. */
  parameters: URLSearchParams;
}

/** Target of a response, successful or not. */
export type ReturnAddress = Pick<AuthorizationRequest, 'redirectUri' | 'state'>;

/** Authorization behind a code. */
export interface Authorization<User> {
  request: AuthorizationRequest;
  grant: Grant<User>;
  scopes: ReadonlySet<string>;
  /** True when the user saw the consent page. */
  wasConsentShown: boolean;
}

export interface PageFacts {
  action: string;
  interaction: string;
  clientId: string;
  /** Address of the user. */
  address: string;
}

/** Tokens to be issued. */
export interface Issue<User> {
  grant: Grant<User>;
  scopes: ReadonlySet<string>;
  accessToken: string;
  /** null for a refresh. */
  request: AuthorizationRequest | null;
  httpRequest: HttpRequest;
}

/** Behaviour of one provider where RFC 6749 leaves it open. */
export interface Dialect<User, Client extends OAuthClient> {
  paths: { account: string; consent: string; approval?: string };
  /** Unique per provider, because cookies ignore ports. */
  cookieName: string;
  codePrefix: string;
  tokens: Omit<TokenRules<User>, 'hasEnded' | 'hasClient' | 'addressOf'>;
  refuse: Refuse;

  /** Known parameters of an authorization request; others are refused. */
  parameters: ReadonlySet<string>;
  /** Allowed values of some parameters. */
  values: Readonly<Record<string, RegExp>>;
  /** True when refusals return to a known client; otherwise a page shows them. */
  returnsErrors: boolean;
  /** Requires PKCE with S256 (RFC 9700 §2.1.1). */
  requiresChallenge?: boolean;
  /** Parameters of a token request besides those of RFC 6749. */
  tokenParameters?: readonly string[];
  /** True when client secrets are accepted only in Authorization headers. */
  takesBasicOnly?: boolean;

  /** @throws OAuthErrorResponse when the client is not valid for the tenant */
  checkClient?: (client: Client, tenant: string) => void;
  /** @throws OAuthErrorResponse */
  readScopes: (list: string) => string[];

  users: { all: () => User[]; find: (address: string) => User | undefined };
  /** Finds the user of a login_hint. */
  findHinted: (hint: string) => User | undefined;
  /** Creates an account for an unknown address. */
  createUser: (address: string) => User;
  shown: (user: User) => { name: string; address: string };
  /** False hides the user from the choice. */
  admits?: (tenant: string, user: User) => boolean;
  /** @throws OAuthErrorResponse when the user may not sign in with the client */
  checkUser?: (request: AuthorizationRequest, user: User, client: Client) => void;
  /** Called when the user was chosen. */
  chosen?: (user: User) => void;
  /** True shows the account choice even to a signed-in user. */
  asksAgain: (request: AuthorizationRequest) => boolean;
  /** Scopes that someone else, such as an administrator, granted. */
  grantedByOthers?: (user: User, clientId: string) => ReadonlySet<string>;
  /** True when consent is never remembered. */
  alwaysAsksConsent?: boolean;
  /** True when someone else has to consent for the user. */
  needsApproval?: (user: User) => boolean;

  faultPage: (rejection: OAuthErrorResponse) => Html;
  consentPage: (facts: PageFacts, request: AuthorizationRequest, granted: ReadonlySet<string>) => Html;
  approvalPage?: (facts: PageFacts) => Html;
  /** Scopes that the user allowed on the consent page. */
  allowedScopes?: (form: URLSearchParams, request: AuthorizationRequest, granted: ReadonlySet<string>) => string[];
  /** Parameters returned with a code. */
  codeResponse: (authorization: Authorization<User>) => Record<string, string>;
  /** Parameters returned with a refusal. */
  errorResponse: (rejection: OAuthErrorResponse) => Record<string, string>;
  /** Parameters returned with every response. */
  issuerResponse?: (request: HttpRequest) => Record<string, string>;

  includesGranted?: (request: AuthorizationRequest) => boolean;
  /** @param request null for a refresh */
  isOffline: (scopes: ReadonlySet<string>, request: AuthorizationRequest | null) => boolean;
  /** True when only a shown consent page yields a refresh token. */
  refreshTokensNeedConsentPage?: boolean;
  /** Effect of a refresh on the refresh token. */
  renewal: (client: Client) => 'keep' | 'add' | 'replace';
  hasEnded?: (token: RefreshToken<unknown>, client: Client | undefined, nowMs: number) => boolean;
  /** @throws OAuthErrorResponse when the account no longer exists */
  checkGrant?: (grant: Grant<User>) => void;
  /** @throws OAuthErrorResponse when the account belongs to another tenant */
  checkRefresh?: (tenant: string, token: RefreshToken<User>) => void;
  /** True when a refresh fails after the user removed a scope; otherwise it returns the remaining ones. */
  failsWithoutScope?: boolean;
  scopeText: (scopes: Iterable<string>) => string;
  /** Fields besides those of RFC 6749 §5.1. */
  moreFields?: (issue: Issue<User>) => Record<string, unknown>;
  idToken: (issue: Issue<User>) => Promise<string>;
  /** RFC 6749 §5.1, §5.2 */
  tokenResponse: (status: number, body: Record<string, unknown>) => HttpResponse;
  errorBody: (rejection: OAuthErrorResponse) => Record<string, unknown>;
}
