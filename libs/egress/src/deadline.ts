import { Deadline } from '#platform/deadline';
import { EgressError } from './errors.js';

/**
 * Aborts after `ms` with EgressError timeout, or with EgressError aborted when one of `parents` aborts. An EgressError that a
 * parent carries as its reason is passed on.
 */
export function egressDeadline(ms: number, ...parents: readonly (AbortSignal | undefined)[]): Deadline {
  return new Deadline({
    ms,
    late: () => new EgressError('timeout'),
    parents,
    reasonOf: (cause) => (cause instanceof EgressError ? cause : new EgressError('aborted', { cause })),
  });
}
