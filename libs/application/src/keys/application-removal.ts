import { Injectable, Logger } from '@nestjs/common';
import {
  AccountRepository,
  ApplicationRepository,
  DomainError,
  RevocationRepository,
  type ApplicationRef,
} from '#domain';
import { DeliveryService } from '#webhooks';
import { AccountDeletion } from '../accounts/account-deletion.js';

/** Longer than one step takes; another process goes on when one has died. */
const LEASE_MS = 60_000;
/** Accounts at once: each may wait some seconds for its provider. */
const ACCOUNTS = 10;
/** How long revocations that are under way are given until it is looked again. */
const WAIT_MS = 5_000;
/** After a failure. */
const RETRY_MS = 30_000;

/**
 * Deletes applications whose deletion has begun: what they have at providers and receivers ends there first. Every step
 * may be done again, and is, by whoever comes next.
 */
@Injectable()
export class ApplicationRemoval {
  private readonly logger = new Logger(ApplicationRemoval.name);

  constructor(
    private readonly applications: ApplicationRepository,
    private readonly accounts: AccountRepository,
    private readonly deletion: AccountDeletion,
    private readonly revocations: RevocationRepository,
    private readonly delivery: DeliveryService,
  ) {}

  /** One step of one deletion that is due. False when there was none. */
  async advance(): Promise<boolean> {
    const applicationId = await this.applications.claimDeletion(LEASE_MS);
    if (applicationId === null) return false;
    try {
      const inMs = await this.step({ applicationId });
      if (inMs === null) this.logger.log({ msg: 'an application is gone, with all that it had', applicationId });
      else await this.applications.continueDeletion(applicationId, inMs);
    } catch (error) {
      this.logger.warn({ msg: 'the deletion of an application goes on later', applicationId, err: error });
      await this.applications.continueDeletion(applicationId, RETRY_MS);
    }
    return true;
  }

  /** @returns when to go on, milliseconds; null: it is gone */
  private async step(application: ApplicationRef): Promise<number | null> {
    const { applicationId } = application;
    // First: nothing more is sent on behalf of an application that nobody sees any more.
    await this.applications.deleteEndpoints(applicationId);
    const page = { limit: ACCOUNTS, search: null, status: null, after: null };
    const accounts = await this.accounts.list(application, page);
    if (accounts.length > 0) {
      const removals = await Promise.allSettled(accounts.map(({ id }) => this.remove(application, id)));
      const failed = removals.find((removal) => removal.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      return removals.some((removal) => removal.status === 'fulfilled' && removal.value) ? 0 : WAIT_MS;
    }
    await this.delivery.removeApplication(applicationId);
    // They need the OAuth client, which goes with the application.
    if (await this.revocations.isAnyPending(application)) return WAIT_MS;
    await this.applications.delete(applicationId);
    return null;
  }

  /** False when somebody else was faster. */
  private async remove(application: ApplicationRef, accountId: string): Promise<boolean> {
    try {
      await this.deletion.delete(application, accountId);
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'NotFound') return false;
      throw error;
    }
  }
}
