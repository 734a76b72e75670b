import type { JobsOptions, WorkerOptions } from 'bullmq';
import { isUuid } from '#domain/system';

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

export const housekeeping: ScheduledJobDefinition = {
  queue: 'housekeeping',
  name: 'delete-expired',
  schedulerId: 'housekeeping',
  defaultEveryMs: 15 * 60_000,
  // The next run repeats missed work, so two retries suffice.
  options: { ...DEFAULT_JOB_OPTIONS, attempts: 3 },
  parse: parseEmptyPayload,
};

/** Relays the outbox: turns account events into messages, in order. */
export const accountEvents: ScheduledJobDefinition = {
  queue: 'account-events',
  name: 'relay',
  schedulerId: 'account-events',
  defaultEveryMs: 1_000,
  options: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  parse: parseEmptyPayload,
};

/** Enqueues due rows without a job: never enqueued, or lost by the queue. */
export const reconcile: ScheduledJobDefinition = {
  queue: 'reconcile',
  name: 'enqueue-due',
  schedulerId: 'reconcile',
  defaultEveryMs: 30_000,
  options: { ...DEFAULT_JOB_OPTIONS, attempts: 1 },
  parse: parseEmptyPayload,
};

/** Plans how often unchanged calendars are read. */
export const readingPlans: ScheduledJobDefinition = {
  queue: 'reading-plans',
  name: 'plan',
  schedulerId: 'reading-plans',
  defaultEveryMs: 60_000,
  options: { ...DEFAULT_JOB_OPTIONS, attempts: 1 },
  parse: parseEmptyPayload,
};

export interface DeliveriesPayload {
  messages: { id: string; endpointId: string }[];
}

/** Small, so that a killed worker delays few messages and workers share the load. */
export const MESSAGES_PER_JOB = 10;

/**
 * A job fails when the database does not respond. BullMQ retries it within seconds and skips claimed messages; after
 * the last attempt, the database enqueues the unclaimed ones again.
 */
const DELIVERY_OPTIONS = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 500, jitter: 0.5 },
  removeOnComplete: true,
  removeOnFail: { age: 7 * 86_400, count: 1_000 },
};

function parseDeliveries(data: unknown): DeliveriesPayload {
  const messages: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'messages') : undefined;
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MESSAGES_PER_JOB) {
    throw new InvalidJobPayload('this job takes messages');
  }
  return { messages: messages.map(parseMessage) };
}

function parseMessage(message: unknown): { id: string; endpointId: string } {
  const { id, endpointId } = (message ?? {}) as Record<string, unknown>;
  for (const value of [id, endpointId]) {
    if (!isUuid(value)) throw new InvalidJobPayload('a message is named by UUIDs');
  }
  return { id: id as string, endpointId: endpointId as string };
}

/** First attempts, which never wait behind retries. */
export const webhookDelivery: JobDefinition<DeliveriesPayload> = {
  queue: 'webhook-deliveries',
  name: 'deliver',
  options: DELIVERY_OPTIONS,
  parse: parseDeliveries,
};

export const webhookRetry: JobDefinition<DeliveriesPayload> = {
  queue: 'webhook-redeliveries',
  name: 'retry',
  options: DELIVERY_OPTIONS,
  parse: parseDeliveries,
};

export interface RevocationPayload {
  applicationId: string;
  revocationId: string;
}

export const tokenRevocation: JobDefinition<RevocationPayload> = {
  queue: 'token-revocation',
  name: 'revoke',
  // The row schedules further attempts and outlives the queue.
  options: { ...DEFAULT_JOB_OPTIONS, attempts: 1, removeOnComplete: true },
  parse(data) {
    const { applicationId, revocationId } = (data ?? {}) as Record<string, unknown>;
    if (!isUuid(applicationId) || !isUuid(revocationId)) {
      throw new InvalidJobPayload('a revocation is named by UUIDs');
    }
    return { applicationId, revocationId };
  },
};
