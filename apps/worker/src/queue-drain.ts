import { Injectable } from '@nestjs/common';
import { withDeadline } from '#platform/deadline';

/** Work that goes on until it is told to end. */
export interface Stoppable {
  /**
   * Begins nothing new, and resolves when what is under way has ended.
   * @param signal aborts when there is no time left: what still runs is let go of, and done again by another worker
   */
  stop(signal: AbortSignal): Promise<void>;
}

/** For letting go. What then still hangs (the queue's store is away) ends with the process. */
const LETTING_GO_MS = 2_000;

/** Brings the work of this process to an end. */
@Injectable()
export class QueueDrain {
  private readonly work: Stoppable[] = [];

  add(work: Stoppable): void {
    this.work.push(work);
  }

  /** Everything stops at the same time, and is let go of after `withinMs`. */
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
