import type { JobsOptions, WorkerOptions } from 'bullmq';

/** One kind of job. The store of the queue keeps payloads in clear text, so they hold ids only. */
export interface JobDefinition<Payload> {
  /** Jobs of different queues never wait for each other. */
  readonly queue: string;
  readonly name: string;
  readonly options: JobsOptions;
  /** Another version of this service may have written the data. @throws InvalidJobPayload */
  parse(data: unknown): Payload;
}

/** A repeating job with one schedule per installation, however many workers run. */
export interface ScheduledJobDefinition extends JobDefinition<Record<string, never>> {
  /** Identifies the schedule; equal on every replica. */
  readonly schedulerId: string;
  readonly defaultEveryMs: number;
}

/** No retry can parse the payload. */
export class InvalidJobPayload extends Error {
  override readonly name = 'InvalidJobPayload';
}

/** For jobs that find their work in the database. */
export function parseEmptyPayload(data: unknown): Record<string, never> {
  if (data === null || data === undefined) return {};
  if (typeof data !== 'object' || Array.isArray(data) || Object.keys(data).length > 0) {
    throw new InvalidJobPayload('this job takes no data');
  }
  return {};
}

/** Finished jobs are kept for operators only, within bounds. */
export const DEFAULT_JOB_OPTIONS = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 2_000, jitter: 0.5 },
  removeOnComplete: { age: 3_600, count: 1_000 },
  removeOnFail: { age: 7 * 86_400, count: 1_000 },
} as const satisfies JobsOptions;

/**
 * Another worker takes over the jobs of a killed one within `lockDuration` + `stalledInterval`, at most
 * `maxStalledCount` times, so that a job that kills its worker cannot kill all. BullMQ's defaults take a minute and run
 * such a job twice.
 */
export const WORKER_OPTIONS = {
  lockDuration: 10_000,
  stalledInterval: 5_000,
  maxStalledCount: 3,
  // Polls soon while the store of the queue is down: a killed part must recover within 45 s.
  runRetryDelay: 2_000,
} as const satisfies Partial<WorkerOptions>;
