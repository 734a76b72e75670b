import { Injectable, Logger } from '@nestjs/common';
import {
  AccountRepository,
  CredentialRepository,
  DomainError,
  UnitOfWork,
  type ExpiryReason,
  type EndUserAccount,
} from '#domain';
import { counter } from '#telemetry';
import { AccountEvents } from './account-events.js';
import { Superseded, unlessSuperseded } from './refreshed-tokens.js';

const expiries = counter('calendar_account_expiries_total');

/** The one way from ACTIVE to EXPIRED. */
@Injectable()
export class AccountExpiry {
  private readonly logger = new Logger(AccountExpiry.name);

  constructor(
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly events: AccountEvents,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * Makes the account EXPIRED because this version of its credentials is dead. Of several callers one tells the
   * application, and the operator's log.
   * @returns false when these are not its credentials any more: then nothing has been said about the new ones
   */
  async expire(account: EndUserAccount, rowVersion: number, reason: ExpiryReason): Promise<boolean> {
    const application = { applicationId: account.applicationId };
    const expiring = this.unitOfWork.run(application, async () => {
      const changed = await this.accounts.setStatus(application, account.id, 'EXPIRED', reason);
      // Read after the status is written: who connects the account again now waits for the end of this transaction.
      if ((await this.credentials.version(application, account.id)) !== rowVersion) throw new Superseded();
      if (changed) {
        await this.events.append(application, 'enduseraccount.updated', { ...account, status: 'EXPIRED' }, reason);
      }
      return changed;
    });
    const isFirst = await unlessSuperseded(expiring);
    if (isFirst === null) return false;
    if (isFirst) {
      const { id: accountId, applicationId, providerType } = account;
      expiries.add(1, { provider: providerType, reason });
      this.logger.warn({ msg: 'an account is EXPIRED', accountId, applicationId, providerType, reason });
    }
    return true;
  }
}

export function accountExpired(): DomainError {
  return new DomainError(
    'EndUserAccountExpired',
    'The credentials of this end user account are no longer valid. Connect the account again with new ones.',
  );
}
