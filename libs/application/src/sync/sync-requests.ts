import { Injectable, Logger } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import { SyncWakeup, SyncedCalendarRepository } from '#domain/sync';

/** Durable requests to sync a calendar: stored in the database before a method returns. */
@Injectable()
export class SyncRequests {
  private readonly logger = new Logger(SyncRequests.name);

  constructor(
    private readonly calendars: SyncedCalendarRepository,
    private readonly syncWakeup: SyncWakeup,
  ) {}

  /** Requests syncs after notifications, over all applications. Skips unknown ids. */
  async forNotification(syncedCalendarIds: string[], traceparents?: ReadonlyMap<string, string>): Promise<void> {
    await this.calendars.requestSync(syncedCalendarIds, traceparents);
    this.syncWakeup.wake();
  }

  /** Requests a sync for a time without a channel, in which changes were not reported. */
  async gap(syncedCalendarId: string): Promise<void> {
    await this.calendars.requestSyncAfterGap(syncedCalendarId);
    this.syncWakeup.wake();
  }

  /** Requests a sync after our own write. Never throws: a scheduled sync finds the change otherwise. */
  async calendar(application: ApplicationRef, accountId: string, calendarId: string): Promise<void> {
    try {
      if (await this.calendars.requestSyncOfCalendar(application, accountId, calendarId)) this.syncWakeup.wake();
    } catch (error) {
      this.logger.warn({ msg: 'sync request not stored: change detected later', accountId, err: error });
    }
  }
}
