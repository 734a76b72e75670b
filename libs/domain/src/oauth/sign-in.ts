import type { ProviderType } from '../accounts/account.js';
import type { ApplicationRef } from '../applications/application.js';
import type { OAuthClient, OAuthPrompt } from './authorization-server.js';

/** A pending authorization request, from the redirect to its callback. Can be consumed once. */
export interface AuthorizationRequest {
  applicationId: string;
  providerType: ProviderType;
  /** SHA-256 over `state` and the browser's cookie. One without the other can neither finish nor cancel the sign-in. */
  stateHash: Buffer;
  codeVerifier: string;
  nonce: string;
  prompt: OAuthPrompt | null;
  loginHint: string | null;
  redirectUrl: string;
  /** The application's own state, returned unchanged. null when not given. */
  callerState: string | null;
  externalId: string | null;
  /** Second round, after the first returned no refresh token. */
  again: boolean;
  /** Test of an operator: creates no account and notifies no application. */
  testId?: string;
  /** The connect link that the sign-in began with. */
  connectLinkId?: string;
  expiresAt: Date;
}

/** A sign-in for which the application created a link. The browser cannot change its parameters. */
export type PreparedSignIn = Pick<
  AuthorizationRequest,
  'applicationId' | 'providerType' | 'prompt' | 'loginHint' | 'redirectUrl' | 'callerState' | 'externalId' | 'expiresAt'
> & {
  /** SHA-256 over the link's secret, the application and the provider, so that the link works for these alone. */
  urlHash: Buffer;
};

export interface SignInTestResult {
  email: string | null;
  grantedScopes: string[];
  missingScopes: string[];
  /** null when no token response arrived. */
  hasRefreshToken: boolean | null;
  /** null when the test passed. */
  error: { code: string; message: string } | null;
}

export interface SignInTest extends SignInTestResult {
  providerType: ProviderType;
  state: 'running' | 'passed' | 'failed';
  createdAt: Date;
}

export abstract class SignInTestRepository {
  /** Returns the id of the test. @throws DomainError NotFound when there is no such application */
  abstract begin(application: ApplicationRef, providerType: ProviderType): Promise<string>;
  abstract finish(application: ApplicationRef, testId: string, result: SignInTestResult): Promise<void>;
  abstract find(application: ApplicationRef, testId: string): Promise<SignInTest | null>;
}

/** Applications' own OAuth clients. Secrets are encrypted at rest. */
export abstract class OAuthClientRepository {
  abstract find(application: ApplicationRef, providerType: ProviderType): Promise<OAuthClient | null>;
  /** @throws DomainError NotFound when there is no such application */
  abstract put(application: ApplicationRef, providerType: ProviderType, client: OAuthClient): Promise<void>;
  abstract list(
    application: ApplicationRef,
  ): Promise<(Omit<OAuthClient, 'clientSecret'> & { providerType: ProviderType })[]>;
  abstract remove(application: ApplicationRef, providerType: ProviderType): Promise<boolean>;
}

/** OAuth clients of the installation, for applications without their own. */
export abstract class SharedOAuthClients {
  abstract for(providerType: ProviderType): OAuthClient | null;
}

export abstract class RedirectUrlRepository {
  /** Oldest first: the first one is the default. */
  abstract list(application: ApplicationRef): Promise<string[]>;
  /** Returns false when the URL exists already. @throws DomainError NotFound when there is no such application */
  abstract add(application: ApplicationRef, url: string): Promise<boolean>;
  abstract remove(application: ApplicationRef, url: string): Promise<boolean>;
  /** Puts `to` in the place of `from`. Returns false when `from` does not exist. Call only when `to` does not exist. */
  abstract replace(application: ApplicationRef, from: string, to: string): Promise<boolean>;
}

export abstract class AuthorizationRequestRepository {
  abstract save(attempt: AuthorizationRequest): Promise<void>;
  /** Consumes the request. Not scoped by application, because it identifies the application. */
  abstract take(stateHash: Buffer): Promise<AuthorizationRequest | null>;
  /** @throws DomainError NotFound when there is no such application */
  abstract prepare(signIn: PreparedSignIn): Promise<void>;
  abstract takePrepared(urlHash: Buffer): Promise<PreparedSignIn | null>;
}
