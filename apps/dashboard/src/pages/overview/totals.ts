import type { AccountStatus, Overview, ProviderType, QueueView, RequestBucket } from '#operator-api';

type AccountCounts = NonNullable<Overview['accounts']>;

export function accountTotals(accounts: AccountCounts): { active: number; expired: number } {
  const of = (status: AccountStatus) => accounts.reduce((sum, one) => sum + (one.status === status ? one.count : 0), 0);
  return { active: of('ACTIVE'), expired: of('EXPIRED') };
}

/** Of one provider; zero where there is none. */
export function accountsOf(accounts: AccountCounts, providerType: ProviderType, status: AccountStatus): number {
  return accounts.find((one) => one.providerType === providerType && one.status === status)?.count ?? 0;
}

export function requestTotals(buckets: readonly RequestBucket[]): { all: number; failed: number } {
  return buckets.reduce(
    ({ all, failed }, bucket) => ({
      all: all + bucket.ok + bucket.refused + bucket.failed,
      failed: failed + bucket.failed,
    }),
    { all: 0, failed: 0 },
  );
}

export function failedJobs(queues: readonly QueueView[]): number {
  return queues.reduce((sum, { failed }) => sum + failed, 0);
}
