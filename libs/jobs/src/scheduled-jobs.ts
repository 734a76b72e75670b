import { DEFAULT_JOB_OPTIONS, parseEmptyPayload, type ScheduledJobDefinition } from './job-definition.js';

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
