import { Deadline } from '#platform/deadline';
import { EgressError } from './errors.js';

/** Aborts with EgressError `timeout` or `aborted`, or with the EgressError of a parent. */
export function egressDeadline(ms: number, ...parents: readonly (AbortSignal | undefined)[]): Deadline {
  return new Deadline({
    ms,
    late: () => new EgressError('timeout'),
    parents,
    reasonOf: (cause) => (cause instanceof EgressError ? cause : new EgressError('aborted', { cause })),
  });
}
