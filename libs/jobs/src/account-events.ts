import { parseEmptyPayload, type ScheduledJobDefinition } from './job-definition.js';

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
