import { Injectable } from '@nestjs/common';
import { HousekeepingProcessor } from './housekeeping.processor.js';
import { SchedulesService } from './schedules.service.js';

/** Brings the work of this process to an end. */
@Injectable()
export class QueueDrain {
  constructor(
    private readonly schedules: SchedulesService,
    private readonly housekeeping: HousekeepingProcessor,
  ) {}

  /**
   * Takes no new job from now on and waits for those that run. What still runs after `withinMs` is let go of: its lock
   * runs out, and another worker does it again.
   */
  async drain(withinMs: number): Promise<void> {
    const workers = [this.housekeeping.worker];
    const late = setTimeout(() => {
      for (const worker of workers) void worker.close(true);
    }, withinMs);
    try {
      await Promise.all([this.schedules.stop(), ...workers.map((worker) => worker.close())]);
    } finally {
      clearTimeout(late);
    }
  }
}
