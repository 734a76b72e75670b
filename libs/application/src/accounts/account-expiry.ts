import { Injectable, Logger } from '@nestjs/common';
import {
  AccountHealthRepository,
  AccountRepository,
  Clock,
  CredentialRepository,
  DomainError,
  UnitOfWork,
  type EndUserAccount,
  type ExpiryReason,
  type StoredCredential,
  type StoredGrant,
} from '#domain';
import { counter } from '#platform/telemetry';
import { AccountEvents } from './account-events.js';
import { clientOf, MassExpiryBreaker } from './mass-expiry-breaker.js';

const expiries = counter('calendar_account_expiries_total');

/** A refused password is believed when it is refused again this long after the first time. */
const CONFIRM_AFTER_MS = 30_000;

/** The one way from ACTIVE to EXPIRED. */
@Injectable()
export class AccountExpiry {
  private readonly logger = new Logger(AccountExpiry.name);

  constructor(
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly events: AccountEvents,
    private readonly unitOfWork: UnitOfWork,
    private readonly breaker: MassExpiryBreaker,
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

  /**
   * Makes the account EXPIRED because the token endpoint refused this grant, and confirmed it.
   * @returns as {@link expire}
   * @throws DomainError ProviderUnavailable while too many grants of its client are refused to believe it
   */
  async expireGrant(account: EndUserAccount, grant: StoredGrant, reason: ExpiryReason): Promise<boolean> {
    await this.breaker.recordRejected(clientOf(account, grant), account.id);
    return this.expire(account, grant.rowVersion, reason);
  }
}

/**
 * Decides whether refused passwords are dead. Servers refuse good ones while they restart, lose their directory or count
 * tries, so that one moment proves nothing.
 */
@Injectable()
export class PasswordRejections {
  private readonly logger = new Logger(PasswordRejections.name);

  constructor(
    private readonly health: AccountHealthRepository,
    private readonly credentials: CredentialRepository,
    private readonly expiry: AccountExpiry,
    private readonly clock: Clock,
  ) {}

  /**
   * The provider refused these credentials.
   * @returns when other ones are stored by now: nothing has been said about those
   * @throws DomainError EndUserAccountExpired, when the refusal is confirmed; ProviderUnavailable until then
   */
  async record(account: EndUserAccount, refused: StoredCredential): Promise<void> {
    const application = { applicationId: account.applicationId };
    if ((await this.credentials.version(application, account.id)) !== refused.rowVersion) return;
    const { sinceMs } = await this.health.noteRefusal(application, account.id, refused.rowVersion);
    const leftMs = CONFIRM_AFTER_MS - sinceMs;
    if (leftMs <= 0) {
      if (await this.expiry.expire(account, refused.rowVersion, 'password_rejected')) throw accountExpired();
      return;
    }
    await this.health.checkBy(application, account.id, new Date(this.clock.nowMs() + leftMs));
    throw new DomainError(
      'ProviderUnavailable',
      'The provider refused the credentials of this account. Whether it does so for good is being found out.',
      { retryAfterSeconds: Math.ceil(leftMs / 1_000) },
    );
  }

  /** The provider accepted the credentials. */
  async clear(account: EndUserAccount): Promise<void> {
    try {
      await this.health.clearRefusal({ applicationId: account.applicationId }, account.id);
    } catch (error) {
      // What the provider has done must not be reported as a failure over this.
      this.logger.warn({ msg: 'a refusal was not forgotten', accountId: account.id, err: error });
    }
  }
}

export function accountExpired(): DomainError {
  return new DomainError(
    'EndUserAccountExpired',
    'The credentials of this end user account are no longer valid. Connect the account again with new ones.',
  );
}

/** Undoes a transaction: other credentials are stored by now. */
export class Superseded extends Error {}

/** null when the transaction was undone by {@link Superseded}. */
export async function unlessSuperseded<T>(transaction: Promise<T>): Promise<T | null> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof Superseded) return null;
    throw error;
  }
}
