import { Injectable, Logger } from '@nestjs/common';
import { AccountRepository, CredentialRepository, isOfAnotherUser, isGrant } from '#domain/accounts';
import type {
  AccountIdentity,
  AuthorizationServer,
  AuthorizationRequest,
  OAuthClient,
  OAuthTokens,
} from '#domain/oauth';
import { DomainError, ExternalIdMismatch } from '#domain/system';
import { addressesOf, AccountRegistrations, isAmong } from '../accounts/account-registration.js';
import { TokenClient, TokenRefresh } from '../accounts/token-refresh.js';
import { requestedScopes } from './authorization-requests.js';
import type { SignInError } from './sign-in-response.js';

export type SignInOutcome =
  | { state: 'connected'; accountId: string }
  | { state: 'rejected'; error: SignInError }
  /** The provider returned no refresh token: ask for consent. `loginHint`: the person who signed in. */
  | { state: 'again'; loginHint: string | null };

export interface SignInGrant {
  attempt: AuthorizationRequest;
  authorization: AuthorizationServer;
  client: OAuthClient;
  tokens: OAuthTokens;
  signal: AbortSignal;
}

/** A valid id without a row. */
const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

@Injectable()
export class SignInGrants {
  private readonly logger = new Logger(SignInGrants.name);

  constructor(
    private readonly granted: AccountRegistrations,
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly tokens: TokenClient,
    private readonly refresh: TokenRefresh,
  ) {}

  /** @throws DomainError as `AccountRegistrations.store` */
  async accept(grant: SignInGrant): Promise<SignInOutcome> {
    const { attempt, authorization, client, tokens, signal } = grant;
    const identity = tokens.identity ?? (await authorization.identify({ accessToken: tokens.accessToken, signal }));
    if (lacksScopes(grant, tokens.scopes)) return this.reject(grant, identity, 'missing_required_permissions');
    if (attempt.loginHint !== null && identity !== null && !isAmong(addressesOf(identity), attempt.loginHint)) {
      return this.reject(grant, identity, 'login_hint_mismatch');
    }
    // Before the account's grant is used. `store` checks again, authoritatively.
    if (await this.isOfAnotherUser(attempt, identity)) return this.reject(grant, identity, 'external_id_mismatch');
    const refreshToken = tokens.refreshToken ?? (await this.keptRefreshToken(grant, identity));
    if (refreshToken === null) return withoutRefreshToken(attempt, identity);
    const { applicationId, providerType, loginHint, externalId, connectLinkId } = attempt;
    try {
      const account = await this.granted.store(
        { applicationId },
        {
          providerType,
          client,
          tokens: { ...tokens, identity, refreshToken },
          email: loginHint ?? undefined,
          externalId: externalId ?? undefined,
          // The link of the sign-in may be forged.
          replacesExternalId: false,
          connectLinkId,
          signal,
        },
      );
      return { state: 'connected', accountId: account.id };
    } catch (error) {
      if (error instanceof ExternalIdMismatch) return this.reject(grant, identity, 'external_id_mismatch');
      const isForeign = error instanceof DomainError && error.code === 'CredentialsRejected' && identity === null;
      if (isForeign && loginHint !== null) return this.reject(grant, identity, 'login_hint_mismatch');
      // The application or the connect link was deleted or used meanwhile.
      if (error instanceof DomainError && error.code === 'NotFound') await this.revokeUnused(grant, identity);
      throw error;
    }
  }

  private async isOfAnotherUser(
    { applicationId, providerType, externalId }: AuthorizationRequest,
    identity: AccountIdentity | null,
  ): Promise<boolean> {
    if (identity === null || externalId === null) return false;
    const account = await this.accounts.findByProviderAccountId({ applicationId }, providerType, identity.subject);
    return account !== null && isOfAnotherUser(account, externalId);
  }

  /** The stored refresh token of the person's account, if it still works for all requested scopes; else null. */
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
    // Saved whatever the sign-in's outcome: the account may have no other valid refresh token.
    await this.refresh.save(account, stored, decision.tokens);
    if (lacksScopes(grant, decision.tokens.scopes ?? account.authorizedScopes)) return null;
    return decision.tokens.refreshToken ?? credentials.refreshToken;
  }

  private async reject(
    grant: SignInGrant,
    identity: AccountIdentity | null,
    error: SignInError,
  ): Promise<SignInOutcome> {
    if (error === 'external_id_mismatch') {
      const { applicationId, providerType } = grant.attempt;
      this.logger.warn({ msg: 'sign-in rejected: account has another externalId', applicationId, providerType });
    }
    await this.revokeUnused(grant, identity);
    return { state: 'rejected', error };
  }

  /** Spares a grant that an account uses: providers revoke all tokens of a person and client together. */
  private async revokeUnused(
    { attempt: { providerType, applicationId }, authorization, client, tokens, signal }: SignInGrant,
    identity: AccountIdentity | null,
  ): Promise<void> {
    const { refreshToken } = tokens;
    if (refreshToken === null || identity === null) return;
    const nobody = { id: NO_ACCOUNT, providerType, providerAccountId: identity.subject };
    try {
      if (await this.credentials.sharesGrant(nobody, client.clientId)) return;
      await authorization.revoke({ client, token: refreshToken, signal });
    } catch (cause) {
      // The redirect does not depend on the revocation, because nothing of the grant is stored.
      if (!(cause instanceof DomainError)) throw cause;
      this.logger.warn({ msg: 'rejected grant could not be revoked', applicationId, providerType, err: cause });
    }
  }
}

function lacksScopes({ authorization, client }: SignInGrant, granted: readonly string[] | null): boolean {
  const requested = requestedScopes(authorization, client);
  // RFC 6749 §5.1: omitted scopes are the requested ones.
  return granted !== null && authorization.missingScopes(requested, granted).length > 0;
}

function withoutRefreshToken(
  { prompt, again, loginHint }: AuthorizationRequest,
  identity: AccountIdentity | null,
): SignInOutcome {
  if (prompt === 'none') return { state: 'rejected', error: 'interaction_required' };
  if (again) return { state: 'rejected', error: 'provider_error' };
  return { state: 'again', loginHint: identity?.subject ?? loginHint };
}
