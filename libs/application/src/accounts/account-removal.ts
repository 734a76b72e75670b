import { Injectable } from '@nestjs/common';
import {
  AccountRepository,
  CredentialRepository,
  DomainError,
  RevocationRepository,
  UnitOfWork,
  type ApplicationRef,
  type EndUserAccount,
  type OAuthCredentials,
  type PendingRevocation,
} from '#domain';
import { AccountChannels } from './account-channels.js';
import { AccountEvents } from './account-events.js';
import { GrantRevocation } from './grant-revocation.js';

/** Deletes accounts: what the provider granted goes back to it, whatever happens to this process meanwhile. */
@Injectable()
export class AccountRemoval {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly revocations: RevocationRepository,
    private readonly revocation: GrantRevocation,
    private readonly channels: AccountChannels,
    private readonly events: AccountEvents,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @param note what is written about it: it is there when the account is gone, and only then
   * @throws DomainError NotFound
   */
  async remove(application: ApplicationRef, accountId: string, note?: () => Promise<void>): Promise<void> {
    await this.channels.stopAll(application, accountId);
    const pending = await this.unitOfWork.run(application, async () => {
      const revocation = await this.delete(application, accountId);
      await note?.();
      return revocation;
    });
    if (pending !== null) this.revocation.begin(pending);
  }

  private async delete(application: ApplicationRef, accountId: string): Promise<PendingRevocation | null> {
    const account = await this.accounts.getOwned(application, accountId);
    const grant = await this.grantOf(application, account);
    if (!(await this.accounts.delete(application, account.id))) {
      throw new DomainError('NotFound', 'There is no end user account with this id.');
    }
    await this.events.append(application, 'enduseraccount.deleted', account);
    if (grant === null) return null;
    return this.revocations.add(application, {
      providerType: account.providerType,
      providerAccountId: account.providerAccountId,
      clientId: grant.clientId,
      token: grant.refreshToken,
    });
  }

  private async grantOf(application: ApplicationRef, { id }: EndUserAccount): Promise<OAuthCredentials | null> {
    const { credentials } = await this.credentials.get(application, id);
    return credentials.kind === 'oauth' ? credentials : null;
  }
}
