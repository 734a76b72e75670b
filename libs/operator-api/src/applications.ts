import type { OAuthProvider } from './providers.js';

/** `development` lets users be sent back to http URLs of this machine (localhost). */
export type Environment = 'development' | 'production';

/** `GET /applications` → all of them; `GET /applications/{applicationId}` */
export interface ApplicationView {
  /** The APP_ID. */
  id: string;
  name: string;
  environment: Environment;
  /** Requests a second per key; null: that of the server. */
  rateLimitRps: number | null;
  enrichedWebhooks: boolean;
  polledWebhooks: boolean;
  /** An `externalId` has to come by an address that the application made with its key. */
  signedLinks: boolean;
  createdAt: string;
  counts: { accounts: number; apiKeys: number; subscriptions: number };
}

/** `POST /applications` → {@link ApplicationView} */
export interface CreateApplicationInput {
  /** 1 to 100 characters. */
  name: string;
  environment: Environment;
  rateLimitRps?: number | null;
}

/**
 * `PATCH /applications/{applicationId}` → {@link ApplicationView}. `production` is refused (409) while there are redirect
 * URLs that it does not allow.
 */
export interface ChangeApplicationInput {
  name?: string;
  environment?: Environment;
  rateLimitRps?: number | null;
  enrichedWebhooks?: boolean;
  polledWebhooks?: boolean;
  signedLinks?: boolean;
}

/** `POST /applications/{applicationId}/delete` → 204. With everything that it owns. */
export interface DeleteApplicationInput {
  /** The name of the application, typed. */
  confirmation: string;
}

export type ApiKeyScope = 'read' | 'write' | 'credentials:read';

/** `GET /applications/{applicationId}/apiKeys`; `DELETE …/apiKeys/{apiKeyId}` revokes. */
export interface ApiKeyView {
  id: string;
  name: string;
  /** How its text begins: enough to tell it from others. */
  prefix: string;
  scopes: ApiKeyScope[];
  createdAt: string;
  /** null: never */
  expiresAt: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

/** `POST /applications/{applicationId}/apiKeys` → {@link NewApiKeyView} */
export interface CreateApiKeyInput {
  name: string;
  /** 7, 30, 90, 180 or 365 (days), `never`, or an ISO 8601 date or instant. */
  expires: string;
  scopes: ApiKeyScope[];
}

export interface NewApiKeyView extends ApiKeyView {
  /** The text. It is not shown again. */
  apiKey: string;
}

/** `GET /applications/{applicationId}/oauthClients`: one for each provider that users sign in at. */
export interface OAuthClientView {
  provider: OAuthProvider;
  /** Whose client accounts are connected with: its own, that of the installation, or none yet. */
  source: 'application' | 'installation' | null;
  clientId: string | null;
  /** null: the default ones. */
  scopes: string[] | null;
  defaultScopes: string[];
  /** The directory whose users may sign in, at providers that have such; null: any. */
  tenant: string | null;
  /** To be registered at the provider, character by character. */
  callbackUrl: string;
  /** Too many of its grants were refused at once: they are held back until an operator has looked. */
  heldSince: string | null;
}

/**
 * `PUT /applications/{applicationId}/oauthClients/{provider}` → {@link OAuthClientView}; `DELETE` removes it;
 * `POST …/{provider}/release` → {@link OAuthClientView}, no longer held.
 */
export interface SetOAuthClientInput {
  clientId: string;
  /** May be left out when the client has one and `clientId` stays. */
  clientSecret?: string;
  scopes?: string[] | null;
  tenant?: string | null;
}

/**
 * `POST /applications/{applicationId}/oauthClients/{provider}/test`: the browser goes there, and comes back to
 * `/dashboard/applications/{applicationId}/sign-in?test={testId}`. No account comes of it.
 */
export interface StartedSignInTest {
  testId: string;
  authorizationUrl: string;
}

/** `GET /applications/{applicationId}/signInTests/{testId}` */
export interface SignInTestView {
  provider: OAuthProvider;
  state: 'running' | 'passed' | 'failed';
  /** Who signed in, as the provider says. */
  email: string | null;
  grantedScopes: string[];
  missingScopes: string[];
  /** The provider gave a refresh token. */
  hasRefreshToken: boolean | null;
  /** What went wrong, and what to do about it. */
  error: { code: string; message: string } | null;
}

/**
 * `GET /applications/{applicationId}/redirectUrls` → all; `POST` adds, `POST …/redirectUrls/remove` removes: both answer
 * with all that there are then.
 */
export interface RedirectUrlView {
  url: string;
  /** Where users are sent when the application does not say. */
  isDefault: boolean;
}

export interface RedirectUrlInput {
  url: string;
}
