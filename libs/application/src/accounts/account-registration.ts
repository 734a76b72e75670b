import { Injectable } from '@nestjs/common';
import {
  AccountRepository,
  CredentialRepository,
  RevocationRepository,
  type Credentials,
  type EndUserAccount,
  type PendingRevocation,
  type ProviderType,
} from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { ConnectLinkGone, ConnectLinkRepository } from '#domain/connect-links';
import type { AccountIdentity, OAuthClient, OAuthTokens } from '#domain/oauth';
import { CalendarProviders, type ConnectedAccount } from '#domain/providers';
import { SyncedCalendarRepository } from '#domain/sync';
import { DomainError, Timer, UnitOfWork } from '#domain/system';
import { projectOf } from '#domain/usage';
import { RequestLedger } from '../usage/request-ledger.js';
import { AccountEventPublisher } from './account-event-publisher.js';
import { MassExpiryBreaker } from './mass-expiry-breaker.js';
import { authorizationOf } from './token-refresh.js';

const WAIT_STEP_MS = 100;
const MAX_WAIT_MS = 3_000;

export interface VerifiedAccount {
  providerType: ProviderType;
  connected: ConnectedAccount;
  credentials: Credentials;
  /** undefined keeps the stored value. */
  externalId?: string | null;
  /** false keeps a stored `externalId`. Default: true. */
  replacesExternalId?: boolean;
  /** The link that the user came by. Used in the same transaction. */
  connectLinkId?: string;
}

/**
 * A deleted account's grant of the same person and client is being revoked: this ends all their tokens, also those that
 * the provider has just accepted.
 */
class GrantIsBeingRevoked extends Error {
  constructor(readonly grant: Pick<PendingRevocation, 'providerType' | 'providerAccountId' | 'clientId'>) {
    super();
  }
}

/** Last step of every connection: writes account, credentials and events in one transaction. */
@Injectable()
export class AccountRegistration {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly calendars: SyncedCalendarRepository,
    private readonly events: AccountEventPublisher,
    private readonly links: ConnectLinkRepository,
    private readonly revocations: RevocationRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly timer: Timer,
  ) {}

  /**
   * @param mayEnd stores the grant although a revocation may be about to end it
   * @throws ExternalIdMismatch, with nothing stored, also when a concurrent connection bound the account;
   *   ConnectLinkGone, with nothing stored; GrantIsBeingRevoked, with nothing stored, unless `mayEnd`
   */
  register(
    application: ApplicationRef,
    { providerType, connected, credentials, externalId, replacesExternalId, connectLinkId }: VerifiedAccount,
    { mayEnd = false } = {},
  ): Promise<EndUserAccount> {
    return this.unitOfWork.run(application, async () => {
      if (connectLinkId !== undefined && !(await this.links.use(application, connectLinkId))) {
        throw new ConnectLinkGone();
      }
      const { account, created, wasExpired, changed } = await this.accounts.upsert(application, {
        ...connected,
        providerType,
        externalId,
        replacesExternalId,
      });
      await this.credentials.put(application, account.id, credentials);
      if (credentials.kind === 'oauth' && !mayEnd) {
        const { clientId } = credentials;
        const grant = { providerType, providerAccountId: connected.providerAccountId, clientId };
        // After the account is written: a deletion of it at the same time has ended by now.
        if (await this.revocations.isFirstAttemptUnderWay(grant)) throw new GrantIsBeingRevoked(grant);
      }
      await this.events.append(
        application,
        created ? 'enduseraccount.created' : 'enduseraccount.credential.updated',
        account,
      );
      if (changed) {
        const reason = wasExpired ? 'reconnected' : undefined;
        await this.events.append(application, 'enduseraccount.updated', account, reason);
      }
      // Syncs and channel reconciliation stopped while the account was EXPIRED.
      if (wasExpired) await this.calendars.requestSyncOfAccount(application, account.id);
      return account;
    });
  }

  /** Returns after three seconds in any case. */
  async untilRevoked({ grant }: GrantIsBeingRevoked): Promise<void> {
    for (let waitedMs = 0; waitedMs < MAX_WAIT_MS; waitedMs += WAIT_STEP_MS) {
      await this.timer.sleep(WAIT_STEP_MS);
      if (!(await this.revocations.isFirstAttemptUnderWay(grant))) return;
    }
  }
}

export interface AccountGrant {
  providerType: ProviderType;
  client: OAuthClient;
  tokens: OAuthTokens & { refreshToken: string };
  /** Email that the grant must belong to. undefined accepts any. */
  email?: string;
  /** undefined keeps the stored value. */
  externalId?: string | null;
  /** false keeps a stored `externalId`. Default: true. */
  replacesExternalId?: boolean;
  connectLinkId?: string;
  signal: AbortSignal;
}

export interface VerifiedGrant {
  /** null when only the account itself names the person. */
  identity: AccountIdentity | null;
  credentials: Credentials;
  connected: ConnectedAccount;
}

@Injectable()
export class AccountRegistrations {
  constructor(
    private readonly providers: CalendarProviders,
    private readonly registration: AccountRegistration,
    private readonly breaker: MassExpiryBreaker,
    private readonly ledger: RequestLedger,
  ) {}

  /**
   * Creates or updates the account. Stores nothing unless a real call succeeded.
   * @throws DomainError NotSupportedByProvider, CredentialsRejected when the grant has no address or not `email`,
   *   ExternalIdMismatch, what `connect` throws
   */
  async store(application: ApplicationRef, grant: AccountGrant): Promise<EndUserAccount> {
    const { providerType, client } = grant;
    const account = await this.verifyAndRegister(application, grant).catch(async (error: unknown) => {
      if (!(error instanceof GrantIsBeingRevoked)) throw error;
      await this.registration.untilRevoked(error);
      return this.verifyAndRegister(application, grant, { mayEnd: true });
    });
    // The rejection of the account's previous grant is settled.
    await this.breaker.recordRefreshed({ providerType, clientId: client.clientId }, account.id, 'allowed');
    return account;
  }

  private async verifyAndRegister(
    application: ApplicationRef,
    grant: AccountGrant,
    options?: { mayEnd: boolean },
  ): Promise<EndUserAccount> {
    const { providerType, externalId, replacesExternalId, connectLinkId } = grant;
    const { identity, credentials, connected } = await this.verify(application, grant);
    const known = [...addressesOf(identity), connected.email].filter((email) => email !== '');
    if (known.length === 0) {
      throw new DomainError('CredentialsRejected', 'The grant does not tell whose account it is for.');
    }
    if (grant.email !== undefined && !isAmong(known, grant.email)) {
      throw new DomainError('CredentialsRejected', 'The grant is for another account than the email address says.');
    }
    const verified = { providerType, connected, credentials, externalId, replacesExternalId, connectLinkId };
    return this.registration.register(application, verified, options);
  }

  /** Verifies the grant with a real call and stores nothing. @throws DomainError as {@link store} */
  async verify(
    application: ApplicationRef,
    {
      providerType,
      client,
      tokens,
      signal,
    }: Omit<AccountGrant, 'email' | 'externalId' | 'replacesExternalId' | 'connectLinkId'>,
  ): Promise<VerifiedGrant> {
    const provider = this.providers.for(providerType);
    const authorization = authorizationOf(provider);
    const identity = tokens.identity ?? (await authorization.identify({ accessToken: tokens.accessToken, signal }));
    if (identity === null && tokens.identityError !== undefined) throw tokens.identityError;
    const credentials: Credentials = {
      kind: 'oauth',
      clientId: client.clientId,
      accessToken: tokens.accessToken,
      refreshToken: tokens.refreshToken,
      expiresAt: tokens.expiresAt,
    };
    const connected = await provider.connect({
      applicationId: application.applicationId,
      // Not the caller's email, so that the returned email comes from the provider.
      email: identity?.email ?? '',
      serverUrl: null,
      credentials,
      grant: {
        identity,
        // RFC 6749 §5.1: omitted scopes are the requested ones.
        scopes: tokens.scopes ?? client.scopes ?? [...authorization.defaultScopes],
      },
      observer: this.ledger.observer(application, {
        providerType,
        project: projectOf(client.clientId),
        cause: 'connect',
      }),
      signal,
    });
    return { identity, credentials, connected };
  }
}

export function addressesOf(identity: AccountIdentity | null): string[] {
  return identity === null ? [] : [identity.email, ...(identity.otherEmails ?? [])].filter((email) => email !== '');
}

/** Ignores case: no mail system that holds accounts distinguishes it. */
export function isAmong(addresses: readonly string[], email: string): boolean {
  return addresses.some((address) => address.toLowerCase() === email.toLowerCase());
}
