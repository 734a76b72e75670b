import { DEFAULT_JOB_OPTIONS, parseEmptyPayload, type ScheduledJobDefinition } from './job-definition.js';

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
