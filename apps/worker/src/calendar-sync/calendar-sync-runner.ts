import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { Processor } from '@nestjs/bullmq';
import type { CalendarSyncService } from '#application/sync';
import { SyncedCalendarRepository, type ClaimedSync } from '#domain/sync';
import type { QueuedMessage } from '#domain/webhooks';
import { inSpan, type SpanOptions } from '#platform/telemetry';
import { calendarSync, WORKER_OPTIONS } from '#jobs';
import type { Drainable } from '../graceful-shutdown.js';
import { PeriodicTask } from '../periodic-task.js';
import { JobProcessor, type FailedJobFacts } from '../job-processor.js';

const LONG_AFTER_MS = 5_000;
/** Long slots per short slot. */
const LONG_FOR_SHORT = 8;

export interface CalendarSyncRunnerSettings {
  /** Concurrent syncs, without the long ones: a few slow servers must not delay all other calendars. */
  slots: number;
  /** Duration after which a sync counts as long, milliseconds. */
  longAfterMs?: number;
  /** Time after which another worker takes over from a killed one, milliseconds. */
  leaseMs: number;
  /** Minimum between two syncs of a calendar, milliseconds. */
  coalesceMs: number;
  /** Interval of the claims for scheduled syncs, milliseconds. */
  periodMs: number;
}

class SyncLeaseLost extends Error {
  override readonly name = 'SyncLeaseLost';
}

/**
 * Several workers may run it: the database leases each sync to one of them. Without the queue, a sync waits for the
 * next period at most.
 */
@Injectable()
export class CalendarSyncRunner implements OnApplicationBootstrap, Drainable {
  private readonly logger = new Logger(CalendarSyncRunner.name);
  private readonly stopping = new AbortController();
  private readonly underWay = new Set<Promise<void>>();
  private long = 0;
  private readonly syncDue: PeriodicTask;
  private claiming: Promise<void> | undefined;
  private isDue = false;

  /** @param onNewMessages receives the messages that a sync created */
  constructor(
    private readonly calendars: SyncedCalendarRepository,
    private readonly syncs: CalendarSyncService,
    private readonly onNewMessages: (messages: QueuedMessage[]) => void,
    private readonly settings: CalendarSyncRunnerSettings,
  ) {
    this.syncDue = new PeriodicTask(
      'sync_due',
      settings.periodMs,
      async () => {
        await this.wake();
        return false;
      },
      (error) => this.logger.warn({ msg: 'due calendar syncs could not be claimed', err: error }),
    );
  }

  onApplicationBootstrap(): void {
    this.syncDue.start();
  }

  /** Claims due syncs. Resolves when as many as possible have started; rejects on a database error. */
  wake(): Promise<void> {
    this.isDue = true;
    if (this.mayClaim()) this.claiming ??= this.claim();
    return this.claiming ?? Promise.resolve();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.syncDue.stop();
    await this.claiming?.catch(() => undefined);
    await Promise.all(this.underWay);
  }

  private mayClaim(): boolean {
    return this.isDue && this.freeSlots() > 0 && !this.stopping.signal.aborted;
  }

  private freeSlots(): number {
    return this.settings.slots + this.long - this.underWay.size;
  }

  private async claim(): Promise<void> {
    const { leaseMs, coalesceMs } = this.settings;
    try {
      while (this.mayClaim()) {
        this.isDue = false;
        const limit = this.freeSlots();
        const syncs = await this.calendars.claimSyncs({ limit, leaseMs, coalesceMs });
        for (const sync of syncs) this.begin(sync);
        this.isDue ||= syncs.length === limit;
      }
    } finally {
      this.claiming = undefined;
    }
  }

  private begin(sync: ClaimedSync): void {
    let isLong = false;
    const goOn = () => void this.wake().catch((error: unknown) => this.warn(sync, error));
    const judging = setInterval(() => {
      if (isLong || this.long >= this.settings.slots * LONG_FOR_SHORT) return;
      isLong = true;
      this.long += 1;
      goOn();
    }, this.settings.longAfterMs ?? LONG_AFTER_MS);
    const made = inSpan('calendar.sync', traceOf(sync), () => this.make(sync)).finally(() => {
      clearInterval(judging);
      if (isLong) this.long -= 1;
      this.underWay.delete(made);
      goOn();
    });
    this.underWay.add(made);
  }

  /** Never throws: a failed calendar must not stop the others. */
  private async make(sync: ClaimedSync): Promise<void> {
    const lost = new AbortController();
    const { leaseMs } = this.settings;
    const extending = setInterval(() => void this.extend(sync, lost), leaseMs / 3);
    try {
      this.stopping.signal.throwIfAborted();
      const messages = await this.syncs.sync(sync, AbortSignal.any([this.stopping.signal, lost.signal]));
      if (messages !== null && messages.length > 0) this.onNewMessages(messages);
    } catch (error) {
      if (!lost.signal.aborted) await this.putBack(sync, error);
    } finally {
      clearInterval(extending);
    }
  }

  private async extend(sync: ClaimedSync, lost: AbortController): Promise<void> {
    try {
      if (!(await this.calendars.extend(sync, this.settings.leaseMs))) lost.abort(new SyncLeaseLost());
    } catch (error) {
      // Completion checks the lease, so a sync that lost it has no effect.
      this.warn(sync, error);
    }
  }

  private async putBack(sync: ClaimedSync, error: unknown): Promise<void> {
    try {
      if (this.stopping.signal.aborted) await this.calendars.release(sync);
      else {
        this.warn(sync, error);
        await this.calendars.defer(sync, this.settings.leaseMs);
      }
    } catch (putBackError) {
      this.warn(sync, putBackError);
    }
  }

  private warn({ syncedCalendarId, accountId }: ClaimedSync, error: unknown): void {
    this.logger.warn({ msg: 'calendar sync deferred', syncedCalendarId, accountId, err: error });
  }
}

/** Continues the trace of the last sync request; a scheduled sync starts a new one. */
function traceOf({ traceparent, applicationId, accountId, providerType, trigger }: ClaimedSync): SpanOptions {
  const attributes = {
    'calendar.application.id': applicationId,
    'calendar.account.id': accountId,
    'calendar.provider': providerType,
    'calendar.sync.trigger': trigger,
  };
  return { kind: SpanKind.CONSUMER, traceparent, attributes };
}

/** Wakes the runner. The job carries no calendar: the database decides which are due. */
@Processor(calendarSync.queue, { ...WORKER_OPTIONS, concurrency: 1 })
export class CalendarSyncProcessor extends JobProcessor<Record<string, never>> {
  constructor(private readonly runner: CalendarSyncRunner) {
    super(calendarSync, 'look');
  }

  protected override async run(): Promise<void> {
    await this.runner.wake();
  }

  /** The next period runs the same syncs. */
  protected override logFailure({ err }: FailedJobFacts): void {
    this.logger.warn({ msg: 'calendar syncs deferred to the next period', err });
  }
}
