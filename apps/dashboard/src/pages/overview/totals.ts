import type { Api } from '../../api/index.js';

type AccountCounts = NonNullable<Api.Overview['accounts']>;

export function accountTotals(accounts: AccountCounts): { active: number; expired: number } {
  const of = (status: Api.AccountStatus) =>
    accounts.reduce((sum, one) => sum + (one.status === status ? one.count : 0), 0);
  return { active: of('ACTIVE'), expired: of('EXPIRED') };
}

export function accountsOf(accounts: AccountCounts, providerType: Api.ProviderType, status: Api.AccountStatus): number {
  return accounts.find((one) => one.providerType === providerType && one.status === status)?.count ?? 0;
}

export function requestTotals(buckets: readonly Api.RequestBucket[]): { all: number; failed: number } {
  return buckets.reduce(
    ({ all, failed }, bucket) => ({
      all: all + bucket.successes + bucket.clientErrors + bucket.serverErrors,
      failed: failed + bucket.serverErrors,
    }),
    { all: 0, failed: 0 },
  );
}

export function failedJobs(queues: readonly Api.Queue[]): number {
  return queues.reduce((sum, { failed }) => sum + failed, 0);
}
