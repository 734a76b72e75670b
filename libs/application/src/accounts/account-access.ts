import { Injectable } from '@nestjs/common';
import {
  AccountRepository,
  CalendarProviders,
  CredentialRepository,
  DomainError,
  type AccountSession,
  type ApplicationRef,
  type CalendarProvider,
  type EndUserAccount,
  type StoredCredential,
} from '#domain';

/** What a use case works with once the account has been found, is ACTIVE and its credentials are in clear. */
export interface OpenAccount {
  account: EndUserAccount;
  provider: CalendarProvider;
  session: AccountSession;
}

/**
 * The way from an account id to its provider. Ownership, status and credentials are judged here and nowhere else; a
 * provider's confirmed refusal of the credentials ends here as EXPIRED.
 */
@Injectable()
export class AccountAccess {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly providers: CalendarProviders,
  ) {}

  /** @throws DomainError NotFound, EndUserAccountExpired, and whatever `work` throws */
  async use<T>(
    application: ApplicationRef,
    accountId: string,
    signal: AbortSignal,
    work: (open: OpenAccount) => Promise<T>,
  ): Promise<T> {
    const account = await this.getActive(application, accountId);
    const stored = await this.credentials.get(application, account.id);
    try {
      return await work(this.open(account, stored, signal));
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'CredentialsRejected') throw error;
      return this.afterRejection(application, account, stored, signal, work);
    }
  }

  /** @throws DomainError NotFound, EndUserAccountExpired */
  async getActive(application: ApplicationRef, accountId: string): Promise<EndUserAccount> {
    const account = await this.accounts.getOwned(application, accountId);
    if (account.status === 'EXPIRED') throw expired();
    return account;
  }

  /** The rejected credentials may have been replaced while they were in use: then the new ones get their one try. */
  private async afterRejection<T>(
    application: ApplicationRef,
    account: EndUserAccount,
    rejected: StoredCredential,
    signal: AbortSignal,
    work: (open: OpenAccount) => Promise<T>,
  ): Promise<T> {
    const current = await this.credentials.get(application, account.id);
    if (current.rowVersion !== rejected.rowVersion) {
      return work(this.open(account, current, signal));
    }
    await this.accounts.setStatus(application, account.id, 'EXPIRED', 'password_rejected');
    throw expired();
  }

  private open(account: EndUserAccount, stored: StoredCredential, signal: AbortSignal): OpenAccount {
    const application = { applicationId: account.applicationId };
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
        signal,
        saveProviderState: (state) => this.accounts.saveProviderState(application, account.id, state),
      },
    };
  }
}

function expired(): DomainError {
  return new DomainError(
    'EndUserAccountExpired',
    'The credentials of this end user account are no longer valid. Connect the account again with new ones.',
  );
}
