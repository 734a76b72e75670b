import { Injectable } from '@nestjs/common';
import { AccountHealthSweep } from './account-health-sweep.js';
import { HousekeepingProcessor } from './housekeeping.processor.js';
import { RevocationRelay } from './revocation-relay.js';
import { SchedulesService } from './schedules.service.js';

/** Brings the work of this process to an end. */
@Injectable()
export class QueueDrain {
  constructor(
    private readonly schedules: SchedulesService,
    private readonly housekeeping: HousekeepingProcessor,
    private readonly sweep: AccountHealthSweep,
    private readonly revocations: RevocationRelay,
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
      await Promise.all([
        this.schedules.stop(),
        this.sweep.stop(),
        this.revocations.stop(),
        ...workers.map((worker) => worker.close()),
      ]);
    } finally {
      clearTimeout(late);
    }
  }
}
