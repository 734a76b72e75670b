import { Injectable, Logger } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import { ProviderChannelRepository } from '#domain/channels';
import { SyncedCalendarRepository } from '#domain/sync';
import { DomainError } from '#domain/system';
import type { SubscriptionDelivery } from '#domain/webhooks';
import { RECONCILE_LEASE_MS } from '../accounts/account-channels.js';
import { ChannelReconciler, SyncedCalendarGone } from './channel-reconciler.js';
import { InitialSync } from '../sync/initial-sync.js';

@Injectable()
export class SubscriptionRegistration {
  private readonly logger = new Logger(SubscriptionRegistration.name);

  constructor(
    private readonly syncedCalendars: SyncedCalendarRepository,
    private readonly channels: ProviderChannelRepository,
    private readonly reconciler: ChannelReconciler,
    private readonly initialSync: InitialSync,
  ) {}

  /**
   * Leaves neither calendar nor channel behind on failure; after a crash the next reconciliation deletes them.
   * @throws DomainError NotFound (account), as {@link ChannelReconciler.ensure}, and what `subscribe` throws
   */
  async with<T>(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    signal: AbortSignal,
    subscribe: (syncedCalendarId: string, delivery: SubscriptionDelivery) => Promise<T>,
  ): Promise<T> {
    for (let isLastTry = false; ; isLastTry = true) {
      const { syncedCalendarId } = await this.syncedCalendars.register(application, accountId, calendarId);
      try {
        const delivery = await this.reconciler.ensure(application, syncedCalendarId, signal);
        return await this.abandonedOnFailure(application, syncedCalendarId, async () => {
          if (delivery === 'polled') await this.initialSync.ensure(application, syncedCalendarId, signal);
          signal.throwIfAborted();
          return subscribe(syncedCalendarId, delivery);
        });
      } catch (error) {
        if (isLastTry || !(error instanceof SyncedCalendarGone)) throw error;
      }
    }
  }

  private async abandonedOnFailure<T>(
    application: ApplicationRef,
    syncedCalendarId: string,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const mayBeGone = error instanceof DomainError && error.code === 'NotFound';
      if (mayBeGone && !(await this.channels.isRegistered(application, syncedCalendarId))) {
        throw new SyncedCalendarGone();
      }
      await this.abandon(application, syncedCalendarId);
      throw error;
    }
  }

  private async abandon(application: ApplicationRef, syncedCalendarId: string): Promise<void> {
    try {
      const reconciliation = await this.channels.claimReconciliation(application, syncedCalendarId, RECONCILE_LEASE_MS);
      if (reconciliation !== null) await this.reconciler.reconcile(reconciliation, new AbortController().signal);
    } catch (error) {
      this.logger.warn({ msg: 'subscription cleanup deferred', syncedCalendarId, err: error });
    }
  }
}
