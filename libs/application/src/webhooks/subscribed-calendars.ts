import { Injectable, Logger } from '@nestjs/common';
import {
  DomainError,
  ProviderChannelRepository,
  WatchedCalendarRepository,
  type ApplicationRef,
  type SubscriptionDelivery,
} from '#domain';
import { UPKEEP_LEASE_MS } from '../accounts/account-channels.js';
import { ChannelKeeper } from './channel-keeper.js';
import { FirstLooks } from './first-looks.js';

@Injectable()
export class SubscribedCalendars {
  private readonly logger = new Logger(SubscribedCalendars.name);

  constructor(
    private readonly watched: WatchedCalendarRepository,
    private readonly channels: ProviderChannelRepository,
    private readonly keeper: ChannelKeeper,
    private readonly firstLooks: FirstLooks,
  ) {}

  /**
   * Leaves neither calendar nor channel behind on failure; after a crash the next reconciliation deletes them.
   * @throws DomainError NotFound (account), as {@link ChannelKeeper.ensure}, and what `subscribe` throws
   */
  async with<T>(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
    signal: AbortSignal,
    subscribe: (watchedCalendarId: string, delivery: SubscriptionDelivery) => Promise<T>,
  ): Promise<T> {
    for (let isLastTry = false; ; isLastTry = true) {
      const { watchedCalendarId } = await this.watched.watch(application, accountId, calendarId);
      const delivery = await this.keeper.ensure(application, watchedCalendarId, signal);
      try {
        if (delivery === 'polled') await this.firstLooks.ensure(application, watchedCalendarId, signal);
        signal.throwIfAborted();
        return await subscribe(watchedCalendarId, delivery);
      } catch (error) {
        await this.letGo(application, watchedCalendarId);
        // A concurrent failed subscription may have deleted the calendar.
        const isGone = error instanceof DomainError && error.code === 'NotFound';
        if (isLastTry || !isGone) throw error;
      }
    }
  }

  private async letGo(application: ApplicationRef, watchedCalendarId: string): Promise<void> {
    try {
      const upkeep = await this.channels.takeUpkeep(application, watchedCalendarId, UPKEEP_LEASE_MS);
      if (upkeep !== null) await this.keeper.keep(upkeep, new AbortController().signal);
    } catch (error) {
      this.logger.warn({ msg: 'what is left of a subscription goes later', watchedCalendarId, err: error });
    }
  }
}
