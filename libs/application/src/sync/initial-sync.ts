import { Injectable } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import { SyncedCalendarRepository } from '#domain/sync';
import { DomainError, Timer } from '#domain/system';
import { CalendarSyncService } from './calendar-sync.service.js';

/** Longer than the first read of a large calendar takes. */
const LEASE_MS = 60_000;
const WAIT_MS = 30_000;
const WAIT_STEP_MS = 200;

/** Polled calendars need a first sync before the subscription: no notification reports changes in between. */
@Injectable()
export class InitialSync {
  constructor(
    private readonly calendars: SyncedCalendarRepository,
    private readonly syncs: CalendarSyncService,
    private readonly timer: Timer,
  ) {}

  /** @throws DomainError NotFound when the calendar was deleted; ProviderUnavailable during another caller's sync */
  async ensure(application: ApplicationRef, syncedCalendarId: string, signal: AbortSignal): Promise<void> {
    for (let waitedMs = 0; waitedMs <= WAIT_MS; waitedMs += WAIT_STEP_MS) {
      signal.throwIfAborted();
      const sync = await this.calendars.claimInitialSync(application, syncedCalendarId, LEASE_MS);
      if (sync === 'done') return;
      if (sync === 'busy') await this.timer.sleep(WAIT_STEP_MS);
      else await this.syncs.runInitial(sync, signal);
    }
    throw new DomainError('ProviderUnavailable', 'Another request is reading the calendar. Try again.', {
      retryAfterSeconds: 5,
    });
  }
}
