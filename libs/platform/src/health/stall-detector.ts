import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

const TICK_MS = 500;
/** Shorter stalls are normal on a busy machine. */
const STALL_MS = 1_000;

/** Logs stalls of the event loop, during which locks and leases may have been lost. */
@Injectable()
export class StallDetector implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(StallDetector.name);
  private timer: NodeJS.Timeout | undefined;

  onApplicationBootstrap(): void {
    let lastTickMs = performance.now();
    this.timer = setInterval(() => {
      const nowMs = performance.now();
      const stalledMs = Math.round(nowMs - lastTickMs - TICK_MS);
      lastTickMs = nowMs;
      if (stalledMs >= STALL_MS) this.logger.warn({ msg: 'event loop stalled', stalledMs });
    }, TICK_MS);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }
}
