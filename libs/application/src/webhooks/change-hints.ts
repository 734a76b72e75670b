import { Injectable, Logger } from '@nestjs/common';
import { Lookout, WatchedCalendarRepository, type ApplicationRef } from '#domain';

/**
 * Reasons to look whether a calendar has changed. They are in the database when a method returns: whoever looks, and
 * when, a hint is not lost.
 */
@Injectable()
export class ChangeHints {
  private readonly logger = new Logger(ChangeHints.name);

  constructor(
    private readonly calendars: WatchedCalendarRepository,
    private readonly lookout: Lookout,
  ) {}

  /**
   * What came from outside, of all applications; an id that is not watched is passed over. Throws what the database throws.
   * @param traceparents of those that are traced
   */
  async watched(watchedCalendarIds: string[], traceparents?: ReadonlyMap<string, string>): Promise<void> {
    await this.calendars.hint(watchedCalendarIds, traceparents);
    this.lookout.wake();
  }

  /** What happened until now may have been told to nobody. Throws what the database throws. */
  async gap(watchedCalendarId: string): Promise<void> {
    await this.calendars.lookAnew(watchedCalendarId);
    this.lookout.wake();
  }

  /**
   * The calendar was written by us. Never throws: what was written is written, and the timer finds it when the hint is
   * lost.
   */
  async calendar(application: ApplicationRef, accountId: string, calendarId: string): Promise<void> {
    try {
      if (await this.calendars.hintCalendar(application, accountId, calendarId)) this.lookout.wake();
    } catch (error) {
      this.logger.warn({ msg: 'a change is noticed later: its hint was not stored', accountId, err: error });
    }
  }
}
