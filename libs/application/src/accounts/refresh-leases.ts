import { Injectable, Logger, Optional } from '@nestjs/common';
import { CredentialRepository, DomainError, TOKEN_TIMEOUT_MS, type EndUserAccount } from '#domain';
import { Timer } from './timer.js';

/** How long a refresh may take before another process takes it over, milliseconds. */
const LEASE_MS = 20_000;
/** How often somebody who waits looks whether the new credentials are there: at random between the two, milliseconds. */
const POLL_MS = { min: 25, max: 50 };
/** And, every so many looks, whether the holder has died. */
const LOOKS_PER_TRY = 8;

/** Sees to it that one process at a time refreshes an account. */
@Injectable()
export class RefreshLeases {
  private readonly logger = new Logger(RefreshLeases.name);

  /** @throws RangeError when a call of the token endpoint could outlive half of the lease */
  constructor(
    private readonly credentials: CredentialRepository,
    private readonly timer: Timer,
    @Optional() readonly leaseMs: number = LEASE_MS,
  ) {
    if (leaseMs <= 2 * TOKEN_TIMEOUT_MS) {
      throw new RangeError(`A lease of ${leaseMs} ms is not more than twice the time of a token call`);
    }
  }

  /**
   * Runs `work` as the only one, over all processes, that refreshes this version of the credentials; waits for its turn.
   * @returns what `work` returns, and null when the version was replaced while waiting
   * @throws DomainError NotFound, when the account is gone, and whatever `work` throws
   */
  async hold<T>(account: EndUserAccount, rowVersion: number, work: () => Promise<T | null>): Promise<T | null> {
    const application = { applicationId: account.applicationId };
    for (;;) {
      const leaseId = await this.credentials.lease(application, account.id, rowVersion, this.leaseMs);
      if (leaseId !== null) {
        try {
          return await work();
        } finally {
          await this.release(account, leaseId);
        }
      }
      if (await this.isReplaced(account, rowVersion)) return null;
    }
  }

  /** Looks for a while. @throws DomainError NotFound */
  private async isReplaced(account: EndUserAccount, rowVersion: number): Promise<boolean> {
    for (let look = 0; look < LOOKS_PER_TRY; look += 1) {
      const version = await this.credentials.version({ applicationId: account.applicationId }, account.id);
      if (version === null) throw new DomainError('NotFound', 'There is no end user account with this id.');
      if (version !== rowVersion) return true;
      await this.timer.sleep(POLL_MS.min + Math.random() * (POLL_MS.max - POLL_MS.min));
    }
    return false;
  }

  private async release(account: EndUserAccount, leaseId: string): Promise<void> {
    try {
      await this.credentials.releaseLease({ applicationId: account.applicationId }, account.id, leaseId);
    } catch (error) {
      // It runs out by itself; what the work came to must not be lost over it.
      this.logger.warn({ msg: 'the lease of a refresh was not given back', accountId: account.id, err: error });
    }
  }
}
