import { Deadline } from '#platform/deadline';
import { EgressError } from './errors.js';

/**
 * Aborts after `ms` with EgressError `timeout`, or with `aborted` when a parent aborts. Passes on an EgressError that
 * is the reason of a parent.
 */
export function egressDeadline(ms: number, ...parents: readonly (AbortSignal | undefined)[]): Deadline {
  return new Deadline({
    ms,
    late: () => new EgressError('timeout'),
    parents,
    reasonOf: (cause) => (cause instanceof EgressError ? cause : new EgressError('aborted', { cause })),
  });
}
