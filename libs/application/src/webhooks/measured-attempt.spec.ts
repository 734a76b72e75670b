import type { AttemptOutcome } from '#domain';
import { labelOf } from './measured-attempt.js';

const outcome = (
  kind: 'delivered' | 'gone' | 'interrupted' | 'retry' | 'failed',
  status: number | null,
  failure: string | null = null,
): AttemptOutcome => ({
  durationMs: 1,
  status,
  failure,
  responseText: '',
  verdict: { kind } as AttemptOutcome['verdict'],
});

describe('what an attempt is measured as', () => {
  it.each([
    [outcome('delivered', 204), 'delivered'],
    [outcome('gone', 410), 'gone'],
    [outcome('interrupted', null, 'aborted'), 'interrupted'],
    [outcome('retry', 404), 'refused'],
    [outcome('failed', 429), 'refused'],
    [outcome('retry', 500), 'failed'],
    [outcome('retry', 301), 'redirected'],
    [outcome('retry', null, 'timeout'), 'timeout'],
    [outcome('retry', null, 'dns'), 'unreachable'],
    [outcome('retry', 200, 'reset'), 'unreachable'],
    [outcome('retry', null, 'tls'), 'unreachable'],
    [outcome('failed', null, 'address-blocked'), 'blocked'],
    [outcome('failed', null, 'bad-url'), 'blocked'],
    [outcome('retry', null, 'bad-answer'), 'failed'],
    [outcome('retry', null, 'internal'), 'internal'],
  ])('%o: %s', (attempt, label) => {
    expect(labelOf(attempt)).toBe(label);
  });
});
