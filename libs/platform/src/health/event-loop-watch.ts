import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

const BEAT_MS = 500;
/** What is shorter is a busy machine. */
const STALL_MS = 1_000;

/**
 * Notices when the process stood still: a computation that did not end, a paused machine. Locks and leases may be lost
 * meanwhile, so the log has to say when and for how long.
 */
@Injectable()
export class EventLoopWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(EventLoopWatch.name);
  private timer: NodeJS.Timeout | undefined;

  onApplicationBootstrap(): void {
    let lastBeatMs = performance.now();
    this.timer = setInterval(() => {
      const nowMs = performance.now();
      const stalledMs = Math.round(nowMs - lastBeatMs - BEAT_MS);
      lastBeatMs = nowMs;
      if (stalledMs >= STALL_MS) this.logger.warn({ msg: 'the process stood still', stalledMs });
    }, BEAT_MS);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }
}
