import type { Api } from '../../api/index.js';

type Outcome = Pick<Api.Attempt, 'status' | 'failure' | 'durationMs'>;

/** Returns the outcome of an attempt as properties of a `StateBadge`. */
export function attemptState({ status, failure, durationMs }: Outcome): {
  state: string;
  label: string;
  tone: 'good' | 'waiting' | 'bad';
} {
  if (failure !== null)
    return { state: 'failed', label: status === null ? failure : `${status}, ${failure}`, tone: 'bad' };
  if (status !== null) {
    return { state: 'answered', label: String(status), tone: status >= 200 && status < 300 ? 'good' : 'bad' };
  }
  return durationMs === null
    ? { state: 'running', label: 'under way', tone: 'waiting' }
    : { state: 'failed', label: 'no answer', tone: 'bad' };
}

/** Manual attempts have negative numbers. */
export function attemptName({ number }: Pick<Api.Attempt, 'number'>): string {
  return number < 0 ? `Attempt by hand ${-number}` : `Attempt ${number}`;
}
