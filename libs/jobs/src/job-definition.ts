import type { JobsOptions, WorkerOptions } from 'bullmq';

/**
 * One kind of job: where it waits, what it carries, how it is retried. Job data lies in the queue's store in clear, so
 * payloads hold ids and nothing else.
 */
export interface JobDefinition<Payload> {
  /** Name of the queue; also its lane: jobs of one queue wait for each other's workers only. */
  readonly queue: string;
  readonly name: string;
  readonly options: JobsOptions;
  /**
   * What comes out of the queue may have been written by another version of this service.
   * @throws InvalidJobPayload
   */
  parse(data: unknown): Payload;
}

/** A job that repeats by itself, once for the whole installation however many workers run. */
export interface ScheduledJobDefinition extends JobDefinition<Record<string, never>> {
  /** Identifies the schedule; the same on every replica. */
  readonly schedulerId: string;
  readonly defaultEveryMs: number;
}

/** The payload cannot be understood by any retry. */
export class InvalidJobPayload extends Error {
  override readonly name = 'InvalidJobPayload';
}

/** A payload without content: the job finds its work in the database. */
export function parseEmptyPayload(data: unknown): Record<string, never> {
  if (data === null || data === undefined) return {};
  if (typeof data !== 'object' || Array.isArray(data) || Object.keys(data).length > 0) {
    throw new InvalidJobPayload('this job takes no data');
  }
  return {};
}

/** Finished jobs are kept for the operator's eyes only, and never without bound. */
export const DEFAULT_JOB_OPTIONS = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 2_000, jitter: 0.5 },
  removeOnComplete: { age: 3_600, count: 1_000 },
  removeOnFail: { age: 7 * 86_400, count: 1_000 },
} as const satisfies JobsOptions;

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
