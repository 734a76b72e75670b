import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import {
  OperatorIdentityProvider,
  OperatorSsoRepository,
  type OperatorSession,
  type OperatorSsoRequest,
  type SsoDecision,
  type SsoEndpoint,
} from '#domain/operator';
import { DomainError, Clock } from '#domain/system';
import {
  authorizationOutcome,
  authorizationUrl,
  type AuthorizationResponse,
  type AuthorizationOutcome,
  type AuthorizationParty,
} from '../oauth/authorization-code-strategy.js';
import { responseOf, type SignInResponse } from '../oauth/sign-in.service.js';
import { OperatorSettings, type NewSession } from './operator-sessions.js';
import { SsoIdentities } from './sso-identities.js';
import { hashOfSignIn, isSecret, newSecret, SIGN_IN_LIFETIME_MS } from '../oauth/authorization-requests.js';

const DASHBOARD = '/dashboard';
const NOWHERE = 'http://nowhere.invalid';

/** Error codes for the dashboard. The list is closed. */
export const SSO_ERRORS = [
  'denied',
  'not-invited',
  'email-unverified',
  'taken',
  'somebody-else',
  'not-asked',
  'failed',
  'unavailable',
] as const;
export type SsoError = (typeof SSO_ERRORS)[number];

export function dashboardPath(asked: string | undefined): string {
  // Browsers read a backslash as a slash and drop control characters (WHATWG URL §4.4).
  if (asked === undefined || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(asked)) return DASHBOARD;
  const url = URL.parse(asked, NOWHERE);
  if (url?.origin !== NOWHERE) return DASHBOARD;
  const isInside = url.pathname === DASHBOARD || url.pathname.startsWith(`${DASHBOARD}/`);
  return isInside ? `${url.pathname}${url.search}${url.hash}` : DASHBOARD;
}

export function failedSignInPath(error: SsoError): string {
  return `${DASHBOARD}/sign-in?error=${error}`;
}

/** A page that closes itself after a reauthentication. */
export const SIGNED_IN_AGAIN = `${DASHBOARD}/signed-in-again`;

export function linkedPath(returnTo: string): string {
  return `${returnTo}?linked=true`;
}

export function failedLinkPath(returnTo: string, error: SsoError): string {
  return `${returnTo}?error=${error}`;
}

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

export interface SsoResult {
  location: string;
  /** null when no session began. */
  session: NewSession | null;
}

const PROFILE = '/dashboard/profile';

@Injectable()
export class SsoService {
  private readonly logger = new Logger(SsoService.name);

  constructor(
    @Inject(OperatorIdentityProvider) @Optional() private readonly provider: OperatorIdentityProvider | undefined,
    private readonly attempts: SsoRequests,
    private readonly identities: SsoIdentities,
  ) {}

  /** Label of the sign-in button. null without single sign-on. */
  get label(): string | null {
    return this.provider?.label ?? null;
  }

  /** Returns the URL of the identity provider, or of the sign-in page with an error. */
  async begin(returnTo: string | undefined, browser: string, signal: AbortSignal): Promise<string> {
    const { provider } = this;
    if (provider === undefined) return failedSignInPath('unavailable');
    try {
      const signOn = { returnTo: dashboardPath(returnTo), linkTo: null, renews: null };
      return await this.attempts.begin(provider, signOn, browser, signal);
    } catch (error) {
      return failedSignInPath(this.unavailable(error));
    }
  }

  /** @throws DomainError NotFound without single sign-on; ProviderUnavailable, ProviderTimeout, ProviderRateLimited */
  async beginLink(operatorId: string, browser: string, signal: AbortSignal): Promise<string> {
    const signOn = { returnTo: PROFILE, linkTo: operatorId, renews: null };
    return this.attempts.begin(this.needed(), signOn, browser, signal);
  }

  /** @throws DomainError as {@link beginLink} */
  async beginReauthentication({ secretHash }: OperatorSession, browser: string, signal: AbortSignal): Promise<string> {
    const signOn = { returnTo: SIGNED_IN_AGAIN, linkTo: null, renews: secretHash.toString('hex') };
    return this.attempts.begin(this.needed(), signOn, browser, signal);
  }

  /** @param browser null without a cookie */
  async finish(response: SignInResponse, browser: string | null, signal: AbortSignal): Promise<SsoResult> {
    const { provider } = this;
    const authorizationResponse = responseOf(response);
    if (provider === undefined || authorizationResponse === null || response.state === undefined || browser === null) {
      return rejected('failed', null);
    }
    const signOn = await this.attempts.take(response.state, browser);
    if (signOn === null) return rejected('failed', null);
    try {
      return await this.outcomeOf(provider, signOn, { authorizationResponse, iss: response.iss }, signal);
    } catch (error) {
      return rejected(this.unavailable(error), signOn);
    }
  }

  private needed(): OperatorIdentityProvider {
    if (this.provider !== undefined) return this.provider;
    throw new DomainError('NotFound', 'This installation has no single sign-on.');
  }

  private async outcomeOf(
    provider: OperatorIdentityProvider,
    signOn: OperatorSsoRequest,
    { authorizationResponse, iss }: { authorizationResponse: AuthorizationResponse; iss: string | undefined },
    signal: AbortSignal,
  ): Promise<SsoResult> {
    const endpoint = await provider.endpoint(signal);
    // RFC 9207 §2.4: rejects the response of another provider.
    if (!endpoint.isIssuer(iss)) return rejected('failed', signOn);
    const outcome = await this.attempts.redeem(provider, endpoint, signOn, authorizationResponse, signal);
    switch (outcome.state) {
      case 'denied':
        return rejected(outcome.error === 'access_denied' ? 'denied' : 'failed', signOn);
      case 'rejected':
        this.logger.warn({ msg: 'single sign-on rejected by the identity provider', provider: outcome.error });
        return rejected('failed', signOn);
      case 'identified': {
        const { identity } = outcome;
        if (signOn.linkTo !== null) {
          const problem = await this.identities.link(signOn.linkTo, identity);
          return problem === null
            ? { location: linkedPath(signOn.returnTo), session: null }
            : rejected(problem, signOn);
        }
        const session =
          signOn.renews === null
            ? await this.identities.signIn(identity)
            : await this.identities.renew(Buffer.from(signOn.renews, 'hex'), identity);
        return typeof session === 'string' ? rejected(session, signOn) : { location: signOn.returnTo, session };
      }
    }
  }

  /** Rethrows errors other than those of the identity provider. */
  private unavailable(error: unknown): SsoError {
    if (!(error instanceof DomainError)) throw error;
    this.logger.warn({ msg: 'operator identity provider unreachable', err: error });
    return 'unavailable';
  }
}

function rejected(error: SsoError, signOn: OperatorSsoRequest | null): SsoResult {
  const isFromInside = signOn !== null && (signOn.linkTo !== null || signOn.renews !== null);
  return { location: isFromInside ? failedLinkPath(signOn.returnTo, error) : failedSignInPath(error), session: null };
}
