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
    let stored = await this.credentials.get(application, account.id);
    for (let isLastTry = false; ; isLastTry = true) {
      try {
        return await work(this.open(account, stored, signal));
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'CredentialsRejected') throw error;
        if (await this.expire(application, stored)) throw expired();
        // The rejected credentials were replaced while they were in use: the new ones get one try.
        if (isLastTry) throw error;
        stored = await this.credentials.get(application, account.id);
      }
    }
  }

  /** @throws DomainError NotFound, EndUserAccountExpired */
  async getActive(application: ApplicationRef, accountId: string): Promise<EndUserAccount> {
    const account = await this.accounts.getOwned(application, accountId);
    if (account.status === 'EXPIRED') throw expired();
    return account;
  }

  /** False when these are no longer the account's credentials: then nothing has been said about the new ones. */
  private async expire(application: ApplicationRef, rejected: StoredCredential): Promise<boolean> {
    const { endUserAccountId, rowVersion } = rejected;
    const isCurrent = async () => (await this.credentials.version(application, endUserAccountId)) === rowVersion;
    if (!(await isCurrent())) return false;
    await this.accounts.setStatus(application, endUserAccountId, 'EXPIRED', 'password_rejected');
    // Connected again between the two statements above: the status that was just set is not about these credentials.
    if (await isCurrent()) return true;
    await this.accounts.setStatus(application, endUserAccountId, 'ACTIVE', 'reconnected');
    return false;
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
