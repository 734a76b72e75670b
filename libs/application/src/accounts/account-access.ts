import { Injectable } from '@nestjs/common';
import {
  AccountRepository,
  CredentialRepository,
  isGrant,
  type AccountWithCredential,
  type EndUserAccount,
  type StoredCredential,
  type StoredGrant,
} from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { CalendarProviders, type AccountSession, type CalendarProvider, type RequestCause } from '#domain/providers';
import { Clock, DomainError } from '#domain/system';
import { projectOf } from '#domain/usage';
import { inSpan, isRecording } from '#platform/telemetry';
import { accountExpired, AccountExpiry, PasswordRejections } from './account-expiry.js';
import { AccountUsage } from './account-usage.js';
import { RequestLedger } from '../usage/request-ledger.js';
import { CredentialsService } from './credentials.service.js';

export interface OpenAccount {
  account: EndUserAccount;
  provider: CalendarProvider;
  session: AccountSession;
}

interface Attempted {
  account: EndUserAccount;
  /** Credentials that were read with the account; otherwise they are read. */
  credential?: AccountWithCredential['credential'];
  /** When the attempt began, before the credentials were read. Epoch milliseconds. */
  sinceMs: number;
}

/** The only way from an account id to its provider. Checks ownership and status, and handles rejected credentials. */
@Injectable()
export class AccountAccess {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly stored: CredentialRepository,
    private readonly providers: CalendarProviders,
    private readonly credentials: CredentialsService,
    private readonly expiry: AccountExpiry,
    private readonly passwords: PasswordRejections,
    private readonly usage: AccountUsage,
    private readonly ledger: RequestLedger,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs `work`, and again with newer credentials after a rejection.
   * @throws DomainError NotFound, EndUserAccountExpired, ProviderUnavailable, what `CredentialsService.getFresh` and
   *   `work` throw
   */
  async use<T>(
    application: ApplicationRef,
    accountId: string,
    signal: AbortSignal,
    work: (open: OpenAccount) => Promise<T>,
  ): Promise<T> {
    const found = await this.activeWithCredential(application, accountId);
    this.usage.recordUse(found.account);
    return this.attempt(found, signal, 'call', work);
  }

  /** Runs background work on an account. Does not update its last use. @throws DomainError as {@link use} */
  async useInBackground<T>(
    application: ApplicationRef,
    accountId: string,
    signal: AbortSignal,
    cause: Exclude<RequestCause, 'call'>,
    work: (open: OpenAccount) => Promise<T>,
  ): Promise<T> {
    return this.attempt(await this.activeWithCredential(application, accountId), signal, cause, work);
  }

  /** @returns false when only a refresh of the tokens can show that the credentials are alive */
  verify(account: EndUserAccount, signal: AbortSignal): Promise<boolean> {
    const found = { account, sinceMs: this.clock.nowMs() };
    return this.attempt(found, signal, 'check', ({ provider, session }) => provider.verify(session));
  }

  /** @throws DomainError NotFound, EndUserAccountExpired */
  async getActive(application: ApplicationRef, accountId: string): Promise<EndUserAccount> {
    return assertActive(await this.accounts.getOwned(application, accountId));
  }

  private async activeWithCredential(application: ApplicationRef, accountId: string): Promise<Attempted> {
    const sinceMs = this.clock.nowMs();
    const found = await this.stored.getWithAccount(application, accountId);
    assertActive(found.account);
    return { ...found, sinceMs };
  }

  private attempt<T>(
    found: Attempted,
    signal: AbortSignal,
    cause: RequestCause,
    work: (open: OpenAccount) => Promise<T>,
  ): Promise<T> {
    const attempt = () => this.attemptTwice(found, signal, cause, work);
    return isRecording() ? inSpan('account.use', { attributes: attributesOf(found.account) }, attempt) : attempt();
  }

  private async attemptTwice<T>(
    { account, credential, sinceMs }: Attempted,
    signal: AbortSignal,
    cause: RequestCause,
    work: (open: OpenAccount) => Promise<T>,
  ): Promise<T> {
    let stored = await this.credentials.getFresh(account, signal, credential?.());
    for (let isLastTry = false; ; isLastTry = true) {
      try {
        const result = await work(this.open(account, stored, signal, cause));
        if (!isGrant(stored)) await this.passwords.clear(account);
        return result;
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'CredentialsRejected') throw error;
        if (isGrant(stored)) {
          if (isLastTry) await this.expireRejectedAgain(account, stored);
          // An access token can die before its grant: only a refresh shows whether the grant is dead.
          if (!isLastTry) stored = await this.credentials.refreshAfterRejection(account, stored, sinceMs, signal);
        } else {
          await this.passwords.record(account, stored);
          if (!isLastTry) stored = await this.credentials.getFresh(account, signal);
        }
        if (isLastTry) throw credentialsReplaced();
      }
    }
  }

  private async expireRejectedAgain(account: EndUserAccount, grant: StoredGrant): Promise<void> {
    const { capabilities } = this.providers.for(account.providerType);
    if (!capabilities.rejectedTokenEndsGrant) {
      throw new DomainError('ProviderUnavailable', 'The provider refuses an access token that it has just granted.');
    }
    if (await this.expiry.expireGrant(account, grant, 'consent_revoked')) throw accountExpired();
  }

  private open(
    account: EndUserAccount,
    stored: StoredCredential,
    signal: AbortSignal,
    cause: RequestCause,
  ): OpenAccount {
    return {
      account,
      provider: this.providers.for(account.providerType),
      session: {
        applicationId: account.applicationId,
        accountId: account.id,
        email: account.email,
        serverUrl: account.serverUrl,
        credentials: stored.credentials,
        providerState: account.providerState,
        authorizedScopes: account.authorizedScopes,
        signal,
        isBackground: cause !== 'call',
        observer: this.ledger.observer(
          account,
          { providerType: account.providerType, project: quotaProject(stored), cause },
          // The next check is due an interval after this one anyway.
          () => cause !== 'check' && this.usage.recordAccepted(account),
        ),
        saveProviderState: (state) => this.accounts.saveProviderState(account, account.id, state),
      },
    };
  }
}

/** @throws DomainError EndUserAccountExpired */
function assertActive(account: EndUserAccount): EndUserAccount {
  if (account.status === 'EXPIRED') throw accountExpired();
  return account;
}

function credentialsReplaced(): DomainError {
  return new DomainError(
    'ProviderUnavailable',
    'The account was connected again while the provider refused its earlier credentials. Try again.',
  );
}

function attributesOf({ applicationId, id, providerType }: EndUserAccount) {
  return {
    'calendar.application.id': applicationId,
    'calendar.account.id': id,
    'calendar.provider': providerType,
  };
}

function quotaProject(stored: StoredCredential): string {
  return isGrant(stored) ? projectOf(stored.credentials.clientId) : '';
}
