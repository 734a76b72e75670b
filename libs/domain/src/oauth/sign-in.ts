import type { ProviderType } from '../accounts/account.js';
import type { ApplicationRef } from '../applications/application.js';
import type { OAuthClient, OAuthPrompt } from './authorization-server.js';

/** One sign-in under way: kept from the authorize redirect to the callback, taken out once. */
export interface OAuthAttempt {
  applicationId: string;
  providerType: ProviderType;
  /**
   * SHA-256 over the `state` that the provider sends back and the cookie of the browser that began: who has one without
   * the other can neither finish nor end the sign-in.
   */
  stateHash: Buffer;
  codeVerifier: string;
  nonce: string;
  prompt: OAuthPrompt | null;
  loginHint: string | null;
  /** One of the application's redirect URLs, checked. */
  redirectUrl: string;
  /** The application's own state, returned unchanged; null when none was given. */
  callerState: string | null;
  externalId: string | null;
  /** The second round, after the first gave no refresh token. */
  again: boolean;
  /** An operator's test of the sign-in: no account comes of it, and nobody but the operator is told. */
  testId?: string;
  expiresAt: Date;
}

/** A sign-in that an application has made an address for: what is in it, nobody on the way can change. */
export type PreparedSignIn = Pick<
  OAuthAttempt,
  'applicationId' | 'providerType' | 'prompt' | 'loginHint' | 'redirectUrl' | 'callerState' | 'externalId' | 'expiresAt'
> & {
  /** SHA-256 over the secret of the address, the application and the provider: with another one it is not found. */
  addressHash: Buffer;
};

/** How an operator's test of a sign-in ended. */
export interface SignInTestResult {
  /** Who signed in, as the provider says. */
  email: string | null;
  grantedScopes: string[];
  missingScopes: string[];
  /** null: there was no answer that could have had one. */
  hasRefreshToken: boolean | null;
  /** null: it passed. */
  error: { code: string; message: string } | null;
}

export interface SignInTest extends SignInTestResult {
  providerType: ProviderType;
  state: 'running' | 'passed' | 'failed';
  createdAt: Date;
}

export abstract class SignInTestRepository {
  /** @returns its id. @throws DomainError NotFound, when there is no such application */
  abstract begin(application: ApplicationRef, providerType: ProviderType): Promise<string>;
  /** The first result counts. */
  abstract finish(application: ApplicationRef, testId: string, result: SignInTestResult): Promise<void>;
  abstract find(application: ApplicationRef, testId: string): Promise<SignInTest | null>;
}

/** Applications' own OAuth clients; secrets are encrypted at rest. */
export abstract class OAuthClientRepository {
  abstract find(application: ApplicationRef, providerType: ProviderType): Promise<OAuthClient | null>;
  /** Replaces the one that is there. @throws DomainError NotFound, when there is no such application */
  abstract put(application: ApplicationRef, providerType: ProviderType, client: OAuthClient): Promise<void>;
  /** Secrets left out. */
  abstract list(
    application: ApplicationRef,
  ): Promise<(Omit<OAuthClient, 'clientSecret'> & { providerType: ProviderType })[]>;
  /** False when there was none. */
  abstract remove(application: ApplicationRef, providerType: ProviderType): Promise<boolean>;
}

/** The OAuth clients of the installation, for applications without one of their own. */
export abstract class SharedOAuthClients {
  abstract for(providerType: ProviderType): OAuthClient | null;
}

/** Where an application lets its users be sent back to. */
export abstract class RedirectUrlRepository {
  /** Oldest first: the first one is the default. */
  abstract list(application: ApplicationRef): Promise<string[]>;
  /** False when it is there already. @throws DomainError NotFound, when there is no such application */
  abstract add(application: ApplicationRef, url: string): Promise<boolean>;
  /** False when it was not there. */
  abstract remove(application: ApplicationRef, url: string): Promise<boolean>;
  /** `to` stands where `from` stood. False when `from` was not there. Call when `to` is not there. */
  abstract replace(application: ApplicationRef, from: string, to: string): Promise<boolean>;
}

export abstract class OAuthAttemptRepository {
  abstract save(attempt: OAuthAttempt): Promise<void>;
  /**
   * Takes the attempt out: it exists for the first caller only, and not once it has expired. Not scoped by application:
   * it says which one it is.
   */
  abstract take(stateHash: Buffer): Promise<OAuthAttempt | null>;
  /** @throws DomainError NotFound, when there is no such application */
  abstract prepare(signIn: PreparedSignIn): Promise<void>;
  /** As {@link take}. */
  abstract takePrepared(addressHash: Buffer): Promise<PreparedSignIn | null>;
}
