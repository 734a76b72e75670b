import { DEFAULT_JOB_OPTIONS, parseEmptyPayload, type ScheduledJobDefinition } from './job-definition.js';

/** Deletes what has outlived its purpose: idempotency records, sync snapshots, old audit entries. */
export const housekeeping: ScheduledJobDefinition = {
  queue: 'housekeeping',
  name: 'delete-expired',
  schedulerId: 'housekeeping',
  defaultEveryMs: 15 * 60_000,
  // The next run does what this one missed: two more tries are enough.
  options: { ...DEFAULT_JOB_OPTIONS, attempts: 3 },
  parse: parseEmptyPayload,
};

/** Turns what happened to accounts into messages, in its order. */
export const accountEvents: ScheduledJobDefinition = {
  queue: 'account-events',
  name: 'relay',
  schedulerId: 'account-events',
  defaultEveryMs: 1_000,
  // The next run, a second later, does the same.
  options: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  parse: parseEmptyPayload,
};

/** Enqueues what is due by its row and has no job: what nobody has enqueued, and what a queue has lost. */
export const reconcile: ScheduledJobDefinition = {
  queue: 'reconcile',
  name: 'enqueue-due',
  schedulerId: 'reconcile',
  defaultEveryMs: 30_000,
  // The next run does what this one missed.
  options: { ...DEFAULT_JOB_OPTIONS, attempts: 1 },
  parse: parseEmptyPayload,
};
