import { expect, it } from '@jest/globals';
import { accountsOf, accountTotals, failedJobs, requestTotals } from './totals.js';

const ACCOUNTS = [
  { providerType: 'GOOGLE', status: 'ACTIVE', count: 7 },
  { providerType: 'GOOGLE', status: 'EXPIRED', count: 2 },
  { providerType: 'CALDAV', status: 'ACTIVE', count: 1 },
] as const;

it('adds up accounts by status, and finds those of a provider', () => {
  expect(accountTotals([...ACCOUNTS])).toEqual({ active: 8, expired: 2 });
  expect(accountsOf([...ACCOUNTS], 'GOOGLE', 'EXPIRED')).toBe(2);
  expect(accountsOf([...ACCOUNTS], 'APPLE', 'ACTIVE')).toBe(0);
});

it('adds up requests: those that were refused are no failures', () => {
  const bucket = {
    at: '2026-11-21T12:00:00Z',
    successes: 5,
    clientErrors: 3,
    serverErrors: 1,
    p50Ms: null,
    p95Ms: null,
  };
  expect(requestTotals([bucket, bucket])).toEqual({ all: 18, failed: 2 });
  expect(requestTotals([])).toEqual({ all: 0, failed: 0 });
});

it('adds up failed jobs', () => {
  const queue = { name: 'q', waiting: 9, active: 9, delayed: 9, failed: 2 };
  expect(failedJobs([queue, queue])).toBe(4);
});
