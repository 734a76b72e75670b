import { Injectable, Logger } from '@nestjs/common';
import {
  CredentialCheckRepository,
  AccountRepository,
  CredentialRepository,
  type EndUserAccount,
  type ExpiryReason,
  type StoredCredential,
  type StoredGrant,
} from '#domain/accounts';
import { Clock, DomainError, UnitOfWork } from '#domain/system';
import { counter } from '#platform/telemetry';
import { AccountEventPublisher } from './account-event-publisher.js';
import { clientOf, MassExpiryBreaker } from './mass-expiry-breaker.js';

const expiries = counter('calendar_account_expiries_total');

/** Time between two rejections of a password before the account expires. */
const CONFIRM_AFTER_MS = 30_000;

/** The only place that sets an account EXPIRED. */
@Injectable()
export class AccountExpiry {
  private readonly logger = new Logger(AccountExpiry.name);

  constructor(
    private readonly accounts: AccountRepository,
    private readonly credentials: CredentialRepository,
    private readonly events: AccountEventPublisher,
    private readonly unitOfWork: UnitOfWork,
    private readonly breaker: MassExpiryBreaker,
  ) {}

  /** One of several concurrent callers writes the event. @returns false when other credentials are stored */
  async expire(account: EndUserAccount, rowVersion: number, reason: ExpiryReason): Promise<boolean> {
    const expiring = this.unitOfWork.run(account, async () => {
      const changed = await this.accounts.setStatus(account, account.id, 'EXPIRED', reason);
      // Read after the status is written: a concurrent reconnect then waits for this transaction.
      if ((await this.credentials.version(account, account.id)) !== rowVersion) throw new Superseded();
      if (changed) {
        await this.events.append(account, 'enduseraccount.updated', { ...account, status: 'EXPIRED' }, reason);
      }
      return changed;
    });
    const isFirst = await unlessSuperseded(expiring);
    if (isFirst === null) return false;
    if (isFirst) {
      const { id: accountId, applicationId, providerType } = account;
      expiries.add(1, { provider: providerType, reason });
      this.logger.warn({ msg: 'account EXPIRED', accountId, applicationId, providerType, reason });
    }
    return true;
  }

  /** @returns as {@link expire} @throws DomainError ProviderUnavailable while the mass-expiry breaker is tripped */
  async expireGrant(account: EndUserAccount, grant: StoredGrant, reason: ExpiryReason): Promise<boolean> {
    await this.breaker.recordRejected(clientOf(account, grant), account.id);
    return this.expire(account, grant.rowVersion, reason);
  }
}

/** Confirms rejected passwords, because servers also reject valid ones while they restart or throttle. */
@Injectable()
export class PasswordRejections {
  private readonly logger = new Logger(PasswordRejections.name);

  constructor(
    private readonly health: CredentialCheckRepository,
    private readonly credentials: CredentialRepository,
    private readonly expiry: AccountExpiry,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError EndUserAccountExpired when the rejection is confirmed; ProviderUnavailable until then */
  async record(account: EndUserAccount, rejected: StoredCredential): Promise<void> {
    if ((await this.credentials.version(account, account.id)) !== rejected.rowVersion) return;
    const { sinceMs } = await this.health.recordRejection(account, account.id, rejected.rowVersion);
    const leftMs = CONFIRM_AFTER_MS - sinceMs;
    if (leftMs <= 0) {
      if (await this.expiry.expire(account, rejected.rowVersion, 'password_rejected')) throw accountExpired();
      return;
    }
    await this.health.checkBy(account, account.id, new Date(this.clock.nowMs() + leftMs));
    throw new DomainError(
      'ProviderUnavailable',
      'The provider refused the credentials of this account. Whether it does so for good is being found out.',
      { retryAfterSeconds: Math.ceil(leftMs / 1_000) },
    );
  }

  async clear(account: EndUserAccount): Promise<void> {
    try {
      await this.health.clearRejection(account, account.id);
    } catch (error) {
      // The provider's operation succeeded, so this must not fail the request.
      this.logger.warn({ msg: 'rejection could not be cleared', accountId: account.id, err: error });
    }
  }
}

export function accountExpired(): DomainError {
  return new DomainError(
    'EndUserAccountExpired',
    'The credentials of this end user account are no longer valid. Connect the account again with new ones.',
  );
}

/** Rolls a transaction back because other credentials are stored. */
export class Superseded extends Error {}

export async function unlessSuperseded<T>(transaction: Promise<T>): Promise<T | null> {
  try {
    return await transaction;
  } catch (error) {
    if (error instanceof Superseded) return null;
    throw error;
  }
}
