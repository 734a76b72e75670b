import { setTimeout as sleep } from 'node:timers/promises';
import { heldTrace } from '#platform/telemetry';

export interface BatchOptions {
  /** Between the beginnings of two batches, at least. */
  everyMs: number;
  /** A batch that has as many items takes no more. */
  maxItems: number;
}

/** More comes than is got through: nothing of it was done. */
export class TooManyWaiting extends Error {
  override readonly name = 'TooManyWaiting';
}

interface Batch<Item, Result> {
  items: Item[];
  result: PromiseWithResolvers<Result>;
  /** Runs the work as a part of what the first of its items is for. */
  run: ReturnType<typeof heldTrace>;
}

/**
 * Work that costs little more for many than for one. The first item waits for nothing; what comes while a batch is under
 * way goes together with the next one. There is one at a time.
 */
export class Batches<Item, Result> {
  private next: Batch<Item, Result> | null = null;
  private isRunning = false;

  constructor(
    private readonly work: (items: readonly Item[]) => Promise<Result>,
    private readonly options: BatchOptions,
  ) {}

  /** @returns the result of the batch that the items went with @throws TooManyWaiting, and what the work throws */
  async add(items: readonly Item[]): Promise<Result> {
    this.next ??= { items: [], result: Promise.withResolvers(), run: heldTrace() };
    const batch = this.next;
    if (batch.items.length >= this.options.maxItems) throw new TooManyWaiting('More is waiting than a batch takes');
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
