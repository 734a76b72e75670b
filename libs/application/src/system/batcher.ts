import { setTimeout as sleep } from 'node:timers/promises';
import { captureTraceContext } from '#platform/telemetry';

export interface BatchOptions {
  /** Minimum time between the starts of two batches, milliseconds. */
  everyMs: number;
  maxItems: number;
}

export class BatchFull extends Error {
  override readonly name = 'BatchFull';
}

interface Batch<Item, Result> {
  items: Item[];
  result: PromiseWithResolvers<Result>;
  /** Runs the batch in the trace context of its first item. */
  run: ReturnType<typeof captureTraceContext>;
}

/** Batches concurrent calls. The first item runs at once; items that arrive during a batch form the next one. */
export class Batcher<Item, Result> {
  private next: Batch<Item, Result> | null = null;
  private isRunning = false;

  constructor(
    private readonly work: (items: readonly Item[]) => Promise<Result>,
    private readonly options: BatchOptions,
  ) {}

  /** @returns the result of the batch @throws BatchFull, and what the work throws */
  async add(items: readonly Item[]): Promise<Result> {
    this.next ??= { items: [], result: Promise.withResolvers(), run: captureTraceContext() };
    const batch = this.next;
    if (batch.items.length >= this.options.maxItems) throw new BatchFull('More is waiting than a batch takes');
    batch.items.push(...items);
    if (!this.isRunning) void this.run();
    return batch.result.promise;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.next !== null) {
      const { items, result, run } = this.next;
      this.next = null;
      const pause = this.options.everyMs > 0 ? sleep(this.options.everyMs, undefined, { ref: false }) : undefined;
      try {
        result.resolve(await run(() => this.work(items)));
      } catch (error) {
        result.reject(error);
      }
      await pause;
    }
    this.isRunning = false;
  }
}
