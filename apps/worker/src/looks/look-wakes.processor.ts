import { Processor } from '@nestjs/bullmq';
import { calendarLooks, WORKER_OPTIONS } from '#jobs';
import { JobProcessor, type FailedJobFacts } from '../job-processor.js';
import { LookPump } from './look-pump.js';

/** Hears that a look is due. What the job says is nothing: the database says at which calendar. */
@Processor(calendarLooks.queue, { ...WORKER_OPTIONS, concurrency: 1 })
export class LookWakesProcessor extends JobProcessor<Record<string, never>> {
  constructor(private readonly pump: LookPump) {
    super(calendarLooks, 'look');
  }

  protected override async run(): Promise<void> {
    await this.pump.wake();
  }

  /** Nothing is lost: the next sweep does the same. */
  protected override logFailure({ err }: FailedJobFacts): void {
    this.logger.warn({ msg: 'calendars are looked at with the next sweep', err });
  }
}
