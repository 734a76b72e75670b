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

/** Calendars on their way to a subscription. */
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
   * Does `subscribe` while the calendar is watched and has a live channel, or is polled and was looked at. Where anything fails, neither
   * the calendar nor a channel is left, unless others subscribe to it; after a crash the next upkeep sees to that.
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
        // Somebody who failed to subscribe to the same calendar at the same time has taken it away.
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
