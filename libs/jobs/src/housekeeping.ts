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
