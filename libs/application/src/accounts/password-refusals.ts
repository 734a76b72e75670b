import { Injectable, Logger } from '@nestjs/common';
import {
  AccountHealthRepository,
  Clock,
  CredentialRepository,
  DomainError,
  type EndUserAccount,
  type StoredCredential,
} from '#domain';
import { accountExpired, AccountExpiry } from './account-expiry.js';

/** A refused password is believed when it is refused again this long after the first time. */
const CONFIRM_AFTER_MS = 30_000;

/**
 * Judges refused passwords. Servers refuse good ones while they restart, lose their directory or count tries, so that
 * one moment proves nothing.
 */
@Injectable()
export class PasswordRefusals {
  private readonly logger = new Logger(PasswordRefusals.name);

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
  async judge(account: EndUserAccount, refused: StoredCredential): Promise<void> {
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
  async forget(account: EndUserAccount): Promise<void> {
    try {
      await this.health.clearRefusal({ applicationId: account.applicationId }, account.id);
    } catch (error) {
      // What the provider has done must not be reported as a failure over this.
      this.logger.warn({ msg: 'a refusal was not forgotten', accountId: account.id, err: error });
    }
  }
}
