import { Injectable } from '@nestjs/common';
import { withDeadline } from '#platform/deadline';

export interface Drainable {
  /**
   * Starts no new work and resolves when running work has ended.
   * @param signal aborts at the time limit: running work is abandoned and another worker repeats it
   */
  stop(signal: AbortSignal): Promise<void>;
}

/** Time to abandon work. Work that still hangs, because its queue is down, ends with the process. */
const LETTING_GO_MS = 2_000;

@Injectable()
export class GracefulShutdown {
  private readonly work: Drainable[] = [];

  add(work: Drainable): void {
    this.work.push(work);
  }

  async drain(withinMs: number): Promise<void> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), withinMs);
    try {
      const stopped = Promise.all(this.work.map((one) => one.stop(late.signal)));
      await withDeadline(stopped, withinMs + LETTING_GO_MS, () => []);
    } finally {
      clearTimeout(timer);
    }
  }
}
