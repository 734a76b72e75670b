import { Injectable } from '@nestjs/common';
import {
  AccountRepository,
  CalendarProviders,
  CredentialRepository,
  DomainError,
  UnitOfWork,
  WatchedCalendarRepository,
  type AccountIdentity,
  type ApplicationRef,
  type ConnectedAccount,
  type Credentials,
  type EndUserAccount,
  type OAuthClient,
  type OAuthTokens,
  type ProviderType,
} from '#domain';
import { AccountEvents } from './account-events.js';
import { MassExpiryBreaker } from './mass-expiry-breaker.js';
import { authorizationOf } from './token-refresh.js';

/** An account that its provider has just accepted. */
export interface VerifiedAccount {
  providerType: ProviderType;
  connected: ConnectedAccount;
  credentials: Credentials;
  /** undefined keeps what is stored. */
  externalId?: string | null;
  /** false: an `externalId` that is stored stays. Default: true. */
  replacesExternalId?: boolean;
}

/** Where every way of connecting an account ends: the account, its credentials and its events are one write. */
@Injectable()
export class AccountRegistration {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly calendars: WatchedCalendarRepository,
    private readonly events: AccountEvents,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * Creates the account, or gives the one that it is these credentials; ACTIVE afterwards.
   * @throws ExternalIdMismatch, with nothing stored, also when another connection bound the account meanwhile
   */
  register(
    application: ApplicationRef,
    { providerType, connected, credentials, externalId, replacesExternalId }: VerifiedAccount,
  ): Promise<EndUserAccount> {
    return this.unitOfWork.run(application, async () => {
      const { account, created, wasExpired, changed } = await this.accounts.upsert(application, {
        ...connected,
        providerType,
        externalId,
        replacesExternalId,
      });
      await this.credentials.put(application, account.id, credentials);
      await this.events.append(
        application,
        created ? 'enduseraccount.created' : 'enduseraccount.credential.updated',
        account,
      );
      if (changed) {
        const reason = wasExpired ? 'reconnected' : undefined;
        await this.events.append(application, 'enduseraccount.updated', account, reason);
      }
      // Nobody could look meanwhile, nor see to the channels.
      if (wasExpired) await this.calendars.hintAccount(application, account.id);
      return account;
    });
  }
}

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
export interface VerifiedGrant {
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
    const { identity, credentials, connected } = await this.verify(application, grant);
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
    await this.breaker.recordRefreshed({ providerType, clientId: client.clientId }, account.id, 'allowed');
    return account;
  }

  /** A real call to the provider with the grant. Nothing is stored. @throws DomainError as {@link store} */
  async verify(
    application: ApplicationRef,
    { providerType, client, tokens, signal }: Omit<AccountGrant, 'email' | 'externalId' | 'replacesExternalId'>,
  ): Promise<VerifiedGrant> {
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
