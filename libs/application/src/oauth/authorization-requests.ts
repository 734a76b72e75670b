import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import {
  AuthorizationRequestRepository,
  type AuthorizationServer,
  type AuthorizationRequest,
  type OAuthClient,
  type PreparedSignIn,
  type TokenDecision,
} from '#domain/oauth';
import { Clock } from '#domain/system';
import {
  authorizationOutcome,
  authorizationUrl,
  type AuthorizationOutcome,
  type AuthorizationParty,
  type AuthorizationResponse,
} from './authorization-code-strategy.js';
import { CallbackUrls } from './callback-urls.js';

/** Time from the redirect to the callback, milliseconds. */
export const SIGN_IN_LIFETIME_MS = 10 * 60_000;

/** 256 bits, base64url. */
const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Begins the `state` of tests, whose browser may have to go on to the address of the dashboard. */
const TEST_MARK = 'test.';

export function isTestState(state: string | undefined): boolean {
  return state !== undefined && state.startsWith(TEST_MARK) && isSecret(state.slice(TEST_MARK.length));
}

export type NewSignIn = Pick<
  AuthorizationRequest,
  | 'applicationId'
  | 'providerType'
  | 'prompt'
  | 'loginHint'
  | 'redirectUrl'
  | 'callerState'
  | 'externalId'
  | 'again'
  | 'testId'
  | 'connectLinkId'
>;

@Injectable()
export class AuthorizationRequests {
  constructor(
    private readonly attempts: AuthorizationRequestRepository,
    private readonly callbacks: CallbackUrls,
    private readonly clock: Clock,
  ) {}

  /** Stores a request and returns the authorization URL. Only the same `browser` can finish. */
  begin(
    authorization: AuthorizationServer,
    client: OAuthClient,
    signIn: NewSignIn,
    browser: string,
    loginHint: string | null,
  ): Promise<string> {
    const { providerType, prompt, again } = signIn;
    const nonce = newSecret();
    const params = authorization.authorizationParams({ prompt, loginHint, nonce, again });
    return authorizationUrl(this.party(authorization, client, providerType), params, async (codeVerifier) => {
      const state = `${signIn.testId === undefined ? '' : TEST_MARK}${newSecret()}`;
      await this.attempts.save({
        ...signIn,
        stateHash: hashOfSignIn(state, browser),
        codeVerifier,
        nonce,
        expiresAt: new Date(this.clock.nowMs() + SIGN_IN_LIFETIME_MS),
      });
      return state;
    });
  }

  /** Returns null for an unknown, expired or used request, and for another browser. */
  async take(state: string, browser: string): Promise<AuthorizationRequest | null> {
    if (!(isSecret(state) || isTestState(state)) || !isSecret(browser)) return null;
    return this.attempts.take(hashOfSignIn(state, browser));
  }

  async prepare(signIn: Omit<PreparedSignIn, 'urlHash' | 'expiresAt'>): Promise<{ secret: string; expiresAt: Date }> {
    const secret = newSecret();
    const expiresAt = new Date(this.clock.nowMs() + SIGN_IN_LIFETIME_MS);
    await this.attempts.prepare({ ...signIn, urlHash: hashOfUrl(secret, signIn), expiresAt });
    return { secret, expiresAt };
  }

  /** Returns null for an unknown, expired or used secret, and for another application or provider. */
  async takePrepared(
    secret: string,
    of: Pick<PreparedSignIn, 'applicationId' | 'providerType'>,
  ): Promise<PreparedSignIn | null> {
    return isSecret(secret) ? this.attempts.takePrepared(hashOfUrl(secret, of)) : null;
  }

  /** @throws DomainError for an indeterminate response */
  redeem(
    authorization: AuthorizationServer,
    client: OAuthClient,
    { providerType, codeVerifier: kept, nonce }: AuthorizationRequest,
    response: AuthorizationResponse,
    signal: AbortSignal,
  ): Promise<AuthorizationOutcome<TokenDecision>> {
    return authorizationOutcome(this.party(authorization, client, providerType), response, kept, (grant) =>
      authorization.exchange({ client, ...grant, nonce, signal }),
    );
  }

  callbackUrl(providerType: ProviderType): string {
    return this.callbacks.of(providerType);
  }

  administratorConsentUrl(
    authorization: AuthorizationServer,
    client: OAuthClient,
    { providerType }: AuthorizationRequest,
  ): string | null {
    const { redirectUri, scopes } = this.party(authorization, client, providerType);
    return authorization.administratorConsentUrl({ client, redirectUri, scopes });
  }

  private party(
    authorization: AuthorizationServer,
    client: OAuthClient,
    providerType: ProviderType,
  ): AuthorizationParty {
    return {
      authorizationEndpoint: authorization.authorizationEndpoint(client),
      clientId: client.clientId,
      redirectUri: this.callbacks.of(providerType),
      scopes: requestedScopes(authorization, client),
    };
  }
}

export function requestedScopes(authorization: AuthorizationServer, client: OAuthClient): readonly string[] {
  return client.scopes ?? authorization.defaultScopes;
}

/** Two dots make it different from every {@link hashOfSignIn}. */
function hashOfUrl(
  secret: string,
  { applicationId, providerType }: Pick<PreparedSignIn, 'applicationId' | 'providerType'>,
): Buffer {
  return createHash('sha256').update(`${secret}.${applicationId}.${providerType}`).digest();
}

/** Lookup key that needs both secrets. Neither contains a dot. */
export function hashOfSignIn(state: string, browser: string): Buffer {
  return createHash('sha256').update(`${state}.${browser}`).digest();
}
