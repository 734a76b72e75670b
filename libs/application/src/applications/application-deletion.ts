import { Injectable, Logger } from '@nestjs/common';
import { AccountRepository, RevocationRepository } from '#domain/accounts';
import { ApplicationRepository, type ApplicationRef } from '#domain/applications';
import { DomainError } from '#domain/system';
import { ExternalDelivery } from '#webhooks';
import { AccountDeletion } from '../accounts/account-deletion.js';

/** Longer than one step takes. Another process continues when it ends. */
const LEASE_MS = 60_000;
/** Accounts per step. Each may wait several seconds for its provider. */
const ACCOUNTS = 10;
const WAIT_MS = 5_000;
const RETRY_MS = 30_000;

/** Ends channels, grants and endpoints before the deletion. Every step is safe to repeat. */
@Injectable()
export class ApplicationDeletion {
  private readonly logger = new Logger(ApplicationDeletion.name);

  constructor(
    private readonly applications: ApplicationRepository,
    private readonly accounts: AccountRepository,
    private readonly deletion: AccountDeletion,
    private readonly revocations: RevocationRepository,
    private readonly delivery: ExternalDelivery,
  ) {}

  /** Runs one due step. Returns false when none is due. */
  async advance(): Promise<boolean> {
    const applicationId = await this.applications.claimDeletion(LEASE_MS);
    if (applicationId === null) return false;
    try {
      const inMs = await this.step({ applicationId });
      if (inMs === null) this.logger.log({ msg: 'application deleted with all its data', applicationId });
      else await this.applications.continueDeletion(applicationId, inMs);
    } catch (error) {
      this.logger.warn({ msg: 'application deletion deferred', applicationId, err: error });
      await this.applications.continueDeletion(applicationId, RETRY_MS);
    }
    return true;
  }

  /** Returns milliseconds to the next step, or null when the application is gone. */
  private async step(application: ApplicationRef): Promise<number | null> {
    const { applicationId } = application;
    // First, so that a hidden application sends nothing more.
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
    // Pending revocations need the OAuth client, which is deleted with the application.
    if (await this.revocations.isAnyPending(application)) return WAIT_MS;
    await this.applications.delete(applicationId);
    return null;
  }

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
