import { Injectable, Logger } from '@nestjs/common';
import {
  AccountRepository,
  CredentialRepository,
  DomainError,
  ExternalIdMismatch,
  isOfAnotherUser,
  isGrant,
  type AccountIdentity,
  type AuthorizationServer,
  type OAuthAttempt,
  type OAuthClient,
  type OAuthTokens,
} from '#domain';
import { addressesOf, GrantedAccounts, isAmong } from '../accounts/account-registration.js';
import { TokenClient, TokenRefresh } from '../accounts/token-refresh.js';
import { requestedScopes } from './sign-in-attempts.js';
import type { SignInError } from './sign-in-response.js';

/** What a sign-in comes to. */
export type SignInOutcome =
  | { state: 'connected'; accountId: string }
  | { state: 'refused'; error: SignInError }
  /** Ask once more, for consent: the provider gave nothing that lasts. `loginHint`: who has just signed in. */
  | { state: 'again'; loginHint: string | null };

/** Tokens that came out of a sign-in, and what they were asked for with. */
export interface SignInGrant {
  attempt: OAuthAttempt;
  authorization: AuthorizationServer;
  client: OAuthClient;
  tokens: OAuthTokens;
  signal: AbortSignal;
}

/** A row's id that no row has. */
const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

/** Decides whether what a user granted makes an account. */
@Injectable()
export class SignInGrants {
  private readonly logger = new Logger(SignInGrants.name);

  constructor(
    private readonly granted: GrantedAccounts,
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly tokens: TokenClient,
    private readonly refresh: TokenRefresh,
  ) {}

  /** Nothing is stored unless the account is connected. @throws DomainError as `GrantedAccounts.store` */
  async accept(grant: SignInGrant): Promise<SignInOutcome> {
    const { attempt, authorization, client, tokens, signal } = grant;
    const identity = tokens.identity ?? (await authorization.identify({ accessToken: tokens.accessToken, signal }));
    if (lacksScopes(grant, tokens.scopes)) return this.refuse(grant, identity, 'missing_required_permissions');
    if (attempt.loginHint !== null && identity !== null && !isAmong(addressesOf(identity), attempt.loginHint)) {
      return this.refuse(grant, identity, 'login_hint_mismatch');
    }
    // Before the account's own grant is used. What counts is asked when the account is stored.
    if (await this.isOfAnotherUser(attempt, identity)) return this.refuse(grant, identity, 'external_id_mismatch');
    const refreshToken = tokens.refreshToken ?? (await this.keptRefreshToken(grant, identity));
    if (refreshToken === null) return withoutRefreshToken(attempt, identity);
    const { applicationId, providerType, loginHint, externalId } = attempt;
    try {
      const account = await this.granted.store(
        { applicationId },
        {
          providerType,
          client,
          tokens: { ...tokens, identity, refreshToken },
          email: loginHint ?? undefined,
          externalId: externalId ?? undefined,
          // Anybody can have written the address that the sign-in began with.
          replacesExternalId: false,
          signal,
        },
      );
      return { state: 'connected', accountId: account.id };
    } catch (error) {
      if (error instanceof ExternalIdMismatch) return this.refuse(grant, identity, 'external_id_mismatch');
      // Only the account itself told whose it is.
      const isForeign = error instanceof DomainError && error.code === 'CredentialsRejected' && identity === null;
      if (isForeign && loginHint !== null) return this.refuse(grant, identity, 'login_hint_mismatch');
      throw error;
    }
  }

  private async isOfAnotherUser(
    { applicationId, providerType, externalId }: OAuthAttempt,
    identity: AccountIdentity | null,
  ): Promise<boolean> {
    if (identity === null || externalId === null) return false;
    const account = await this.accounts.findByProviderAccountId({ applicationId }, providerType, identity.subject);
    return account !== null && isOfAnotherUser(account, externalId);
  }

  /** The one that this person's account lives on, when it still works for all that is asked for. */
  private async keptRefreshToken(grant: SignInGrant, identity: AccountIdentity | null): Promise<string | null> {
    if (identity === null) return null;
    const { applicationId, providerType } = grant.attempt;
    const application = { applicationId };
    const account = await this.accounts.findByProviderAccountId(application, providerType, identity.subject);
    if (account === null) return null;
    const stored = await this.credentials.get(application, account.id);
    if (!isGrant(stored) || stored.credentials.clientId !== grant.client.clientId) return null;
    const { credentials } = stored;
    const decision = await this.tokens.refreshGrantOf(account, credentials);
    if (decision.state !== 'granted') return null;
    // Whatever becomes of the sign-in: the account may have no other refresh token that works from now on.
    await this.refresh.save(account, stored, decision.tokens);
    if (lacksScopes(grant, decision.tokens.scopes ?? account.authorizedScopes)) return null;
    return decision.tokens.refreshToken ?? credentials.refreshToken;
  }

  /**
   * A grant that came into being for nothing is taken back. One that an account lives on is not: providers revoke all
   * tokens of a person and a client together.
   */
  private async refuse(
    { attempt: { providerType, applicationId }, authorization, client, tokens, signal }: SignInGrant,
    identity: AccountIdentity | null,
    error: SignInError,
  ): Promise<SignInOutcome> {
    if (error === 'external_id_mismatch') {
      this.logger.warn({ msg: 'sign-in refused: the account has another externalId', applicationId, providerType });
    }
    const { refreshToken } = tokens;
    if (refreshToken !== null && identity !== null) {
      const nobody = { id: NO_ACCOUNT, providerType, providerAccountId: identity.subject };
      try {
        if (!(await this.credentials.sharesGrant(nobody, client.clientId))) {
          await authorization.revoke({ client, token: refreshToken, signal });
        }
      } catch (cause) {
        // The user's answer does not wait for it: nothing of the grant is kept here.
        if (!(cause instanceof DomainError)) throw cause;
        this.logger.warn({ msg: 'a refused grant could not be revoked', applicationId, providerType, err: cause });
      }
    }
    return { state: 'refused', error };
  }
}

function lacksScopes({ authorization, client }: SignInGrant, granted: readonly string[] | null): boolean {
  const requested = requestedScopes(authorization, client);
  // RFC 6749 §5.1: left out when they are the ones that were asked for.
  return granted !== null && authorization.missingScopes(requested, granted).length > 0;
}

function withoutRefreshToken(
  { prompt, again, loginHint }: OAuthAttempt,
  identity: AccountIdentity | null,
): SignInOutcome {
  if (prompt === 'none') return { state: 'refused', error: 'interaction_required' };
  if (again) return { state: 'refused', error: 'provider_error' };
  return { state: 'again', loginHint: identity?.subject ?? loginHint };
}
