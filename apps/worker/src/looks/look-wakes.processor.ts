import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger } from '@nestjs/common';
import { calendarLooks, WORKER_OPTIONS } from '#jobs';
import { measuredTask } from '../measured-task.js';
import { LookPump } from './look-pump.js';

/** Hears that a look is due. What the job says is nothing: the database says at which calendar. */
@Processor(calendarLooks.queue, { ...WORKER_OPTIONS, concurrency: 1 })
export class LookWakesProcessor extends WorkerHost {
  private readonly logger = new Logger(LookWakesProcessor.name);

  constructor(private readonly pump: LookPump) {
    super();
  }

  override async process(): Promise<void> {
    await measuredTask('look', () => this.pump.wake());
  }

  @OnWorkerEvent('failed')
  onFailed(_job: unknown, error: Error): void {
    this.logger.warn({ msg: 'calendars are looked at with the next sweep', err: error });
  }

  /** The queue's store is away or came back broken: BullMQ tries again by itself. */
  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.logger.warn({ msg: 'the queue does not answer', queue: calendarLooks.queue, err: error });
  }
}
