import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { Processor } from '@nestjs/bullmq';
import type { CalendarLooks } from '#application';
import { WatchedCalendarRepository, type CalendarLook, type QueuedMessage } from '#domain';
import { inSpan, type SpanOptions } from '#platform/telemetry';
import { calendarLooks, WORKER_OPTIONS } from '#jobs';
import type { Stoppable } from '../queue-drain.js';
import { RepeatingTask } from '../repeating-task.js';
import { JobProcessor, type FailedJobFacts } from '../job-processor.js';

const LONG_AFTER_MS = 5_000;
/** Long slots per short slot. */
const LONG_FOR_SHORT = 8;

export interface LookPumpSettings {
  /** Concurrent syncs, without the long ones: a few slow servers must not delay all other calendars. */
  slots: number;
  /** Duration after which a sync counts as long, milliseconds. */
  longAfterMs?: number;
  /** Time after which another worker takes over from a killed one, milliseconds. */
  leaseMs: number;
  /** Minimum between two syncs of a calendar, milliseconds. */
  coalesceMs: number;
  /** Interval of the claims for scheduled syncs, milliseconds. */
  sweepMs: number;
}

class LookLost extends Error {
  override readonly name = 'LookLost';
}

/**
 * Several workers may run it: the database leases each sync to one of them. Without the queue, a sync waits for the
 * next sweep at most.
 */
@Injectable()
export class LookPump implements OnApplicationBootstrap, Stoppable {
  private readonly logger = new Logger(LookPump.name);
  private readonly stopping = new AbortController();
  private readonly underWay = new Set<Promise<void>>();
  private long = 0;
  private readonly sweep: RepeatingTask;
  private claiming: Promise<void> | undefined;
  private isDue = false;

  /** @param told receives the messages that a sync created */
  constructor(
    private readonly calendars: WatchedCalendarRepository,
    private readonly looks: CalendarLooks,
    private readonly told: (messages: QueuedMessage[]) => void,
    private readonly settings: LookPumpSettings,
  ) {
    this.sweep = new RepeatingTask(
      'sweep-looks',
      settings.sweepMs,
      async () => {
        await this.wake();
        return false;
      },
      (error) => this.logger.warn({ msg: 'calendars could not be looked at', err: error }),
    );
  }

  onApplicationBootstrap(): void {
    this.sweep.start();
  }

  /** Claims due syncs. Resolves when as many as possible have started; rejects on a database error. */
  wake(): Promise<void> {
    this.isDue = true;
    if (this.mayClaim()) this.claiming ??= this.claim();
    return this.claiming ?? Promise.resolve();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.sweep.stop();
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
        const looks = await this.calendars.claimLooks({ limit, leaseMs, coalesceMs });
        for (const look of looks) this.begin(look);
        this.isDue ||= looks.length === limit;
      }
    } finally {
      this.claiming = undefined;
    }
  }

  private begin(look: CalendarLook): void {
    let isLong = false;
    const goOn = () => void this.wake().catch((error: unknown) => this.warn(look, error));
    const judging = setInterval(() => {
      if (isLong || this.long >= this.settings.slots * LONG_FOR_SHORT) return;
      isLong = true;
      this.long += 1;
      goOn();
    }, this.settings.longAfterMs ?? LONG_AFTER_MS);
    const made = inSpan('calendar.look', traceOf(look), () => this.make(look)).finally(() => {
      clearInterval(judging);
      if (isLong) this.long -= 1;
      this.underWay.delete(made);
      goOn();
    });
    this.underWay.add(made);
  }

  /** Never throws: a failed calendar must not stop the others. */
  private async make(look: CalendarLook): Promise<void> {
    const lost = new AbortController();
    const { leaseMs } = this.settings;
    const extending = setInterval(() => void this.extend(look, lost), leaseMs / 3);
    try {
      this.stopping.signal.throwIfAborted();
      const messages = await this.looks.look(look, AbortSignal.any([this.stopping.signal, lost.signal]));
      if (messages !== null && messages.length > 0) this.told(messages);
    } catch (error) {
      if (!lost.signal.aborted) await this.putBack(look, error);
    } finally {
      clearInterval(extending);
    }
  }

  private async extend(look: CalendarLook, lost: AbortController): Promise<void> {
    try {
      if (!(await this.calendars.extendLook(look, this.settings.leaseMs))) lost.abort(new LookLost());
    } catch (error) {
      // Completion checks the lease, so a sync that lost it has no effect.
      this.warn(look, error);
    }
  }

  private async putBack(look: CalendarLook, error: unknown): Promise<void> {
    try {
      if (this.stopping.signal.aborted) await this.calendars.giveBackLook(look);
      else {
        this.warn(look, error);
        await this.calendars.putOffLook(look, this.settings.leaseMs);
      }
    } catch (putBackError) {
      this.warn(look, putBackError);
    }
  }

  private warn({ watchedCalendarId, accountId }: CalendarLook, error: unknown): void {
    this.logger.warn({ msg: 'a look is made later', watchedCalendarId, accountId, err: error });
  }
}

/** Continues the trace of the last sync request; a scheduled sync starts a new one. */
function traceOf({ traceparent, applicationId, accountId, providerType, cause }: CalendarLook): SpanOptions {
  const attributes = {
    'calendar.application.id': applicationId,
    'calendar.account.id': accountId,
    'calendar.provider': providerType,
    'calendar.look.cause': cause,
  };
  return { kind: SpanKind.CONSUMER, traceparent, attributes };
}

/** Wakes the pump. The job carries no calendar: the database decides which are due. */
@Processor(calendarLooks.queue, { ...WORKER_OPTIONS, concurrency: 1 })
export class LookWakesProcessor extends JobProcessor<Record<string, never>> {
  constructor(private readonly pump: LookPump) {
    super(calendarLooks, 'look');
  }

  protected override async run(): Promise<void> {
    await this.pump.wake();
  }

  /** The next sweep runs the same syncs. */
  protected override logFailure({ err }: FailedJobFacts): void {
    this.logger.warn({ msg: 'calendars are looked at with the next sweep', err });
  }
}
