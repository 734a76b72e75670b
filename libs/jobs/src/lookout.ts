import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { JobsOptions, Queue } from 'bullmq';
import { Lookout } from '#domain';
import { heldTrace } from '#platform/telemetry';
import { parseEmptyPayload, type JobDefinition } from './job-definition.js';

/** Says that a look at a calendar is due. The database says at which: a job more or less changes nothing. */
export const calendarLooks = {
  queue: 'calendar-looks',
  name: 'look',
  options: {
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: true,
    // However many changes there are, one job waits for them. One that was taken out may have looked too early.
    deduplication: { id: 'due', keepLastIfActive: true },
  } satisfies JobsOptions,
  parse: parseEmptyPayload,
} as const satisfies JobDefinition<Record<string, never>>;

/** After a failure the queue is left alone that long, milliseconds. */
const PAUSE_MS = 1_000;

/** Wakes whoever looks through a queue. While that is away nobody waits for it: what is due is found by its time. */
export class BullLookout extends Lookout implements OnApplicationShutdown {
  private readonly logger = new Logger(BullLookout.name);
  private queue: Queue | undefined;
  private isAdding = false;
  /** In the trace of who wanted it last; null: nobody does. */
  private wanted: ReturnType<typeof heldTrace> | null = null;
  private isAway = false;
  private isStopped = false;

  /** @param openQueue called again after a failure: a queue that could not be reached at first does not recover */
  constructor(private readonly openQueue: () => Queue) {
    super();
  }

  override wake(): void {
    this.wanted = heldTrace();
    if (!this.isAdding) void this.add();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await Promise.race([this.letGo(), pause()]);
  }

  /** One at a time: a queue that hangs holds one call, however many changes there are. */
  private async add(): Promise<void> {
    this.isAdding = true;
    while (this.wanted !== null && !this.isStopped) {
      const inTrace = this.wanted;
      this.wanted = null;
      try {
        const queue = (this.queue ??= this.open());
        await inTrace(() => queue.add(calendarLooks.name, {}, calendarLooks.options));
        this.noteAnswer();
      } catch (error) {
        this.noteOutage(error);
        // A connection that is being made anew ends when its store is back, and not before.
        void this.letGo();
        await pause();
      }
    }
    this.isAdding = false;
  }

  private open(): Queue {
    const queue = this.openQueue();
    // Without a listener an error event ends the process.
    queue.on('error', (error) => this.noteOutage(error));
    return queue;
  }

  /** At once: nothing that was asked of it has to be waited for. */
  private async letGo(): Promise<void> {
    const { queue } = this;
    this.queue = undefined;
    try {
      await queue?.disconnect();
    } catch (error) {
      this.noteOutage(error);
    }
  }

  private noteOutage(error: unknown): void {
    if (this.isAway || this.isStopped) return;
    this.isAway = true;
    this.logger.warn({ msg: 'changes are noticed a second later: the queue of looks is away', err: error });
  }

  private noteAnswer(): void {
    if (this.isAway) this.logger.log('changes are noticed at once again: the queue of looks is back');
    this.isAway = false;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
}
