import type { WorkerOptions } from 'bullmq';

/**
 * How soon another worker takes over the jobs of one that was killed: within `lockDuration` + `stalledInterval`, and
 * at most `maxStalledCount` times (a job that kills its worker must not kill them all). BullMQ's own defaults take a
 * minute and run such a job only twice.
 */
export const WORKER_OPTIONS = {
  lockDuration: 10_000,
  stalledInterval: 5_000,
  maxStalledCount: 3,
  // While the queue's store is away, ask again soon: "a part that dies is back within 45 s".
  runRetryDelay: 2_000,
} as const satisfies Partial<WorkerOptions>;
