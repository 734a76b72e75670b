import { expect, it } from '@jest/globals';
import { attemptName, attemptState } from './attempt-state.js';

it.each([
  [{ status: 204, failure: null, durationMs: 8 }, '204', 'good'],
  [{ status: 500, failure: null, durationMs: 8 }, '500', 'bad'],
  [{ status: 302, failure: null, durationMs: 8 }, '302', 'bad'],
  [{ status: 200, failure: 'reset', durationMs: 8 }, '200, reset', 'bad'],
  [{ status: null, failure: 'timeout', durationMs: 15_000 }, 'timeout', 'bad'],
  [{ status: null, failure: null, durationMs: 5 }, 'no answer', 'bad'],
  [{ status: null, failure: null, durationMs: null }, 'under way', 'waiting'],
])('shows what came of %j', (attempt, label, tone) => {
  expect(attemptState(attempt)).toMatchObject({ label, tone });
});

it('tells attempts by hand from those of the schedule', () => {
  expect([1, 8, -1, -2].map((number) => attemptName({ number }))).toEqual([
    'Attempt 1',
    'Attempt 8',
    'Attempt by hand 1',
    'Attempt by hand 2',
  ]);
});
