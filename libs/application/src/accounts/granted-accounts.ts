import { Injectable } from '@nestjs/common';
import {
  CalendarProviders,
  DomainError,
  type AccountIdentity,
  type ApplicationRef,
  type ConnectedAccount,
  type Credentials,
  type EndUserAccount,
  type OAuthClient,
  type OAuthTokens,
  type ProviderType,
} from '#domain';
import { AccountRegistration } from './account-registration.js';
import { MassExpiryBreaker } from './mass-expiry-breaker.js';
import { authorizationOf } from './token-endpoint.js';

/** What an authorization server gave to a client of ours, for one person. */
export interface AccountGrant {
  providerType: ProviderType;
  client: OAuthClient;
  tokens: OAuthTokens & { refreshToken: string };
  /** Refused when it is anybody else's; undefined: whoever it is. */
  email?: string;
  /** undefined keeps what is stored. */
  externalId?: string | null;
  /** false: an `externalId` that is stored stays. Default: true. */
  replacesExternalId?: boolean;
  signal: AbortSignal;
}

/** A grant with which the provider has answered. */
export interface ProvenGrant {
  /** null: nobody says whose grant it is but the account itself. */
  identity: AccountIdentity | null;
  credentials: Credentials;
  connected: ConnectedAccount;
}

/** Accounts out of grants, whichever way those came in. */
@Injectable()
export class GrantedAccounts {
  constructor(
    private readonly providers: CalendarProviders,
    private readonly registration: AccountRegistration,
    private readonly breaker: MassExpiryBreaker,
  ) {}

  /**
   * Creates the account of a grant, or gives the one that it is new tokens; ACTIVE afterwards. Nothing is stored unless
   * a real call to the provider succeeded with the grant.
   * @throws DomainError NotSupportedByProvider, CredentialsRejected when nobody or somebody else than `email` stands
   *   behind it, ExternalIdMismatch, and what `CalendarProvider.connect` throws
   */
  async store(application: ApplicationRef, grant: AccountGrant): Promise<EndUserAccount> {
    const { providerType, client } = grant;
    const { identity, credentials, connected } = await this.prove(application, grant);
    const known = [...addressesOf(identity), connected.email].filter((email) => email !== '');
    if (known.length === 0) {
      throw new DomainError('CredentialsRejected', 'The grant does not tell whose account it is for.');
    }
    if (grant.email !== undefined && !isAmong(known, grant.email)) {
      throw new DomainError('CredentialsRejected', 'The grant is for another account than the email address says.');
    }
    const account = await this.registration.register(application, {
      providerType,
      connected,
      credentials,
      externalId: grant.externalId,
      replacesExternalId: grant.replacesExternalId,
    });
    // What its grant of before was refused for is settled.
    await this.breaker.noteRefreshed({ providerType, clientId: client.clientId }, account.id, 'open');
    return account;
  }

  /** A real call to the provider with the grant. Nothing is stored. @throws DomainError as {@link store} */
  async prove(
    application: ApplicationRef,
    { providerType, client, tokens, signal }: Omit<AccountGrant, 'email' | 'externalId' | 'replacesExternalId'>,
  ): Promise<ProvenGrant> {
    const provider = this.providers.for(providerType);
    const authorization = authorizationOf(provider);
    const identity = tokens.identity ?? (await authorization.identify({ accessToken: tokens.accessToken, signal }));
    if (identity === null && tokens.identityFault !== undefined) throw tokens.identityFault;
    const credentials: Credentials = {
      kind: 'oauth',
      clientId: client.clientId,
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken,
      expiresAt: tokens.expiresAt,
    };
    const connected = await provider.connect({
      applicationId: application.applicationId,
      // Never the caller's: what the provider hands back is then the provider's own word.
      email: identity?.email ?? '',
      serverUrl: null,
      credentials,
      grant: {
        identity,
        // RFC 6749 §5.1: left out when they are the ones that were asked for.
        scopes: tokens.scopes ?? client.scopes ?? [...authorization.defaultScopes],
      },
      signal,
    });
    return { identity, credentials, connected };
  }
}

/** Every address of somebody that the provider vouches for; none for nobody. */
export function addressesOf(identity: AccountIdentity | null): string[] {
  return identity === null ? [] : [identity.email, ...(identity.otherEmails ?? [])].filter((email) => email !== '');
}

/** Mail systems that tell capitals apart are none that accounts are at. */
export function isAmong(addresses: readonly string[], email: string): boolean {
  return addresses.some((address) => address.toLowerCase() === email.toLowerCase());
}
