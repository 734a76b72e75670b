import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  Clock,
  OAuthAttemptRepository,
  type AuthorizationServer,
  type OAuthAttempt,
  type OAuthClient,
  type PreparedSignIn,
  type ProviderType,
  type TokenDecision,
} from '#domain';
import {
  authorizationOutcome,
  authorizationUrl,
  type AuthorizationOutcome,
  type AuthorizationParty,
  type AuthorizationResponse,
} from './authorization-code-strategy.js';
import { CallbackAddress } from './callback-address.js';

/** From the redirect to the provider until the user comes back, milliseconds. */
export const SIGN_IN_LIFETIME_MS = 10 * 60_000;

/** 256 bits, base64url. */
const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** An unguessable text that is safe in URLs and cookies. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Whether a text can have come from {@link newSecret}. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/** What is known of a sign-in before the browser is sent away. */
export type NewSignIn = Pick<
  OAuthAttempt,
  | 'applicationId'
  | 'providerType'
  | 'prompt'
  | 'loginHint'
  | 'redirectUrl'
  | 'callerState'
  | 'externalId'
  | 'again'
  | 'testId'
>;

/** The sign-ins under way: each is kept while its user is with the provider. */
@Injectable()
export class SignInAttempts {
  constructor(
    private readonly attempts: OAuthAttemptRepository,
    private readonly callbacks: CallbackAddress,
    private readonly clock: Clock,
  ) {}

  /**
   * Keeps a sign-in.
   * @param browser the secret of the user's browser: no other one can finish
   * @param loginHint for the provider
   * @returns where to send that browser
   */
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
      const state = newSecret();
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

  /** Takes a sign-in out. null: there is none, there is none any more, or it began in another browser. */
  async take(state: string, browser: string): Promise<OAuthAttempt | null> {
    if (!isSecret(state) || !isSecret(browser)) return null;
    return this.attempts.take(hashOfSignIn(state, browser));
  }

  /**
   * Keeps a sign-in for which nobody has come yet.
   * @returns the secret of its address, and until when that can be opened
   */
  async prepare(
    signIn: Omit<PreparedSignIn, 'addressHash' | 'expiresAt'>,
  ): Promise<{ secret: string; expiresAt: Date }> {
    const secret = newSecret();
    const expiresAt = new Date(this.clock.nowMs() + SIGN_IN_LIFETIME_MS);
    await this.attempts.prepare({ ...signIn, addressHash: hashOfAddress(secret, signIn), expiresAt });
    return { secret, expiresAt };
  }

  /** Takes a prepared sign-in out. null: there is none, not any more, or it is of another application or provider. */
  async takePrepared(
    secret: string,
    of: Pick<PreparedSignIn, 'applicationId' | 'providerType'>,
  ): Promise<PreparedSignIn | null> {
    return isSecret(secret) ? this.attempts.takePrepared(hashOfAddress(secret, of)) : null;
  }

  /** What came back of a sign-in, its code redeemed for tokens. @throws DomainError, when nothing was decided */
  redeem(
    authorization: AuthorizationServer,
    client: OAuthClient,
    { providerType, codeVerifier: kept, nonce }: OAuthAttempt,
    response: AuthorizationResponse,
    signal: AbortSignal,
  ): Promise<AuthorizationOutcome<TokenDecision>> {
    return authorizationOutcome(this.party(authorization, client, providerType), response, kept, (grant) =>
      authorization.exchange({ client, ...grant, nonce, signal }),
    );
  }

  /** Where the provider sends browsers back to. */
  callbackUrl(providerType: ProviderType): string {
    return this.callbacks.of(providerType);
  }

  /** Where an administrator consents to what users are asked for; null: nowhere. */
  administratorConsentUrl(
    authorization: AuthorizationServer,
    client: OAuthClient,
    { providerType }: OAuthAttempt,
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

/** What a client asks users for. */
export function requestedScopes(authorization: AuthorizationServer, client: OAuthClient): readonly string[] {
  return client.scopes ?? authorization.defaultScopes;
}

/** Under which a prepared sign-in is kept. With its two dots it is nothing that {@link hashOfSignIn} hashes. */
function hashOfAddress(
  secret: string,
  { applicationId, providerType }: Pick<PreparedSignIn, 'applicationId' | 'providerType'>,
): Buffer {
  return createHash('sha256').update(`${secret}.${applicationId}.${providerType}`).digest();
}

/** Under which a sign-in is kept: it takes both to find it. Neither part can hold the dot. */
export function hashOfSignIn(state: string, browser: string): Buffer {
  return createHash('sha256').update(`${state}.${browser}`).digest();
}
