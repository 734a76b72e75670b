import type { JobsOptions, WorkerOptions } from 'bullmq';

/** The store of the queue keeps payloads in clear text, so they hold ids only. */
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
  readonly schedulerId: string;
  readonly defaultEveryMs: number;
}

export class InvalidJobPayload extends Error {
  override readonly name = 'InvalidJobPayload';
}

export function parseEmptyPayload(data: unknown): Record<string, never> {
  if (data === null || data === undefined) return {};
  if (typeof data !== 'object' || Array.isArray(data) || Object.keys(data).length > 0) {
    throw new InvalidJobPayload('this job takes no data');
  }
  return {};
}

export const DEFAULT_JOB_OPTIONS = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 2_000, jitter: 0.5 },
  removeOnComplete: { age: 3_600, count: 1_000 },
  removeOnFail: { age: 7 * 86_400, count: 1_000 },
} as const satisfies JobsOptions;

/**
 * Jobs of a killed worker are taken over within `lockDuration` + `stalledInterval`; BullMQ's defaults take a minute.
 * `maxStalledCount` keeps a job that kills its worker from killing all.
 */
export const WORKER_OPTIONS = {
  lockDuration: 10_000,
  stalledInterval: 5_000,
  maxStalledCount: 3,
  // Polls soon while the store of the queue is down: a killed part must recover within 45 s.
  runRetryDelay: 2_000,
} as const satisfies Partial<WorkerOptions>;
