import { Injectable, Logger } from '@nestjs/common';
import { Lookout, WatchedCalendarRepository, type ApplicationRef } from '#domain';

/** Durable requests to sync a calendar: stored in the database before a method returns. */
@Injectable()
export class ChangeHints {
  private readonly logger = new Logger(ChangeHints.name);

  constructor(
    private readonly calendars: WatchedCalendarRepository,
    private readonly lookout: Lookout,
  ) {}

  /** Requests syncs after notifications, over all applications. Skips unknown ids. */
  async watched(watchedCalendarIds: string[], traceparents?: ReadonlyMap<string, string>): Promise<void> {
    await this.calendars.hint(watchedCalendarIds, traceparents);
    this.lookout.wake();
  }

  /** Requests a sync for a time without a channel, in which changes were not reported. */
  async gap(watchedCalendarId: string): Promise<void> {
    await this.calendars.lookAnew(watchedCalendarId);
    this.lookout.wake();
  }

  /** Requests a sync after our own write. Never throws: a scheduled sync finds the change otherwise. */
  async calendar(application: ApplicationRef, accountId: string, calendarId: string): Promise<void> {
    try {
      if (await this.calendars.hintCalendar(application, accountId, calendarId)) this.lookout.wake();
    } catch (error) {
      this.logger.warn({ msg: 'a change is noticed later: its hint was not stored', accountId, err: error });
    }
  }
}
