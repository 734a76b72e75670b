import { Injectable } from '@nestjs/common';
import {
  OperatorSsoRepository,
  type OperatorIdentityProvider,
  type OperatorSsoRequest,
  type SsoDecision,
  type SsoEndpoint,
} from '#domain/operator';
import { Clock } from '#domain/system';
import {
  authorizationOutcome,
  authorizationUrl,
  type AuthorizationOutcome,
  type AuthorizationParty,
  type AuthorizationResponse,
} from '../oauth/authorization-code-strategy.js';
import { hashOfSignIn, isSecret, newSecret, SIGN_IN_LIFETIME_MS } from '../oauth/authorization-requests.js';
import { OperatorSettings } from './operator-sessions.js';

@Injectable()
export class SsoRequests {
  constructor(
    private readonly ssoRequests: OperatorSsoRepository,
    private readonly settings: OperatorSettings,
    private readonly clock: Clock,
  ) {}

  /** Only the same `browser` can finish. @throws DomainError when the identity provider cannot be asked */
  async begin(
    provider: OperatorIdentityProvider,
    signOn: Pick<OperatorSsoRequest, 'returnTo' | 'linkTo' | 'renews'>,
    browser: string,
    signal: AbortSignal,
  ): Promise<string> {
    const nonce = newSecret();
    const party = this.party(await provider.endpoint(signal));
    // OpenID Connect Core §3.1.2.1: forces an authentication despite an existing session.
    const again: Record<string, string> = signOn.renews === null ? {} : { prompt: 'login', max_age: '0' };
    return authorizationUrl(party, { nonce, ...again }, async (codeVerifier) => {
      const state = newSecret();
      await this.ssoRequests.save({
        ...{ ...signOn, nonce, codeVerifier },
        stateHash: hashOfSignIn(state, browser),
        expiresAt: new Date(this.clock.nowMs() + SIGN_IN_LIFETIME_MS),
      });
      return state;
    });
  }

  /** Returns null for an unknown, expired or used request, and for another browser. */
  async take(state: string, browser: string): Promise<OperatorSsoRequest | null> {
    if (!isSecret(state) || !isSecret(browser)) return null;
    return this.ssoRequests.take(hashOfSignIn(state, browser));
  }

  /** @throws DomainError for an indeterminate response */
  redeem(
    provider: OperatorIdentityProvider,
    endpoint: SsoEndpoint,
    { codeVerifier, nonce }: OperatorSsoRequest,
    response: AuthorizationResponse,
    signal: AbortSignal,
  ): Promise<AuthorizationOutcome<SsoDecision>> {
    return authorizationOutcome(this.party(endpoint), response, codeVerifier, (grant) =>
      provider.exchange({ ...grant, nonce, signal }),
    );
  }

  /** RFC 6749 §3.1.2.3: the redirect URI is registered as exactly this text. */
  private party({ authorizationEndpoint, clientId, scopes }: SsoEndpoint): AuthorizationParty {
    const root = this.settings.operatorUrl.replace(/\/+$/, '');
    return { authorizationEndpoint, clientId, scopes, redirectUri: `${root}/api/operator/v1/sign-on/callback` };
  }
}
