import type { AccountStatus, ProviderType } from '../accounts/account.js';
import type { BucketedRange, Durations } from '../operator/operator-delivery-queries.js';

export interface AccountCount {
  providerType: ProviderType;
  status: AccountStatus;
  count: number;
}

export interface RequestBucket extends Durations {
  index: number;
  /** Status below 400. */
  successes: number;
  /** 4xx */
  clientErrors: number;
  /** 5xx */
  serverErrors: number;
}

export interface DeliveryBacklog {
  /** Wait of the oldest due message without a holder, in seconds. null when none waits. */
  lagSeconds: number | null;
  /** Counted up to 10,000. */
  pending: number;
  /** Among the latest 5,000 failed messages. */
  failedLastDay: number;
}

/** Requests that called a provider. Failures are those with 502, 503 and 504. */
export interface ProviderBucket {
  index: number;
  providerType: ProviderType;
  requests: number;
  failures: number;
  lastFailureAt: Date | null;
}

export abstract class OverviewStats {
  abstract accounts(): Promise<AccountCount[]>;
  /** Returns non-empty buckets in any order. */
  abstract requests(range: BucketedRange): Promise<RequestBucket[]>;
  abstract backlog(): Promise<DeliveryBacklog>;
  abstract providers(range: BucketedRange): Promise<ProviderBucket[]>;
  abstract providersWithTrippedBreaker(): Promise<ProviderType[]>;
}

export interface QueueDepth {
  name: string;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
}

export interface FailedJob {
  queue: string;
  id: string;
  name: string;
  attempts: number;
  failedAt: Date | null;
  reason: string;
}

/** The BullMQ queues. @throws DomainError ProviderUnavailable soon after the queue store becomes unreachable */
export abstract class QueueMonitor {
  abstract depths(): Promise<QueueDepth[]>;
  /** Wait of the oldest job per queue, in seconds. 0 when none waits. */
  abstract waits(): Promise<{ queue: string; seconds: number }[]>;
  /** @param limit per queue */
  abstract failed(limit: number): Promise<FailedJob[]>;
  /** Retries one job, or all; running one twice is safe. @returns number of jobs; null for an unknown queue */
  abstract redrive(queue: string, jobId: string | null): Promise<number | null>;
}

export interface InstallationCounts {
  accounts: AccountCount[];
  /** Of providers with push. `wanted`: subscribed calendars that their provider would push. */
  channels: { providerType: ProviderType; wanted: number; actual: number }[];
  /** OAuth clients whose mass-expiry breaker is tripped. */
  trippedBreakers: { providerType: ProviderType; clients: number }[];
  /** When the first secret of applications' OAuth clients ends, of providers with such a date. */
  secrets: { providerType: ProviderType; expiresInSeconds: number }[];
  /** How long the oldest credential check has been due. 0 when none is. */
  checkOverdueSeconds: number;
  /** Due syncs without a holder (counted up to a limit), and how long the oldest has been due. 0 when none is. */
  syncs: { due: number; oldestDueSeconds: number };
  /** Messages with work left: due now or scheduled. */
  messages: { due: number; scheduled: number };
  /** How long the oldest message without a holder has been due. 0 when none is. */
  oldestDueSeconds: number;
  disabledEndpoints: number;
  /** Age of the oldest account event still in the outbox. 0 when there is none. */
  oldestAccountEventSeconds: number;
  /** Of providers with plans or live channels. */
  reads: ReadCounts[];
}

export interface ReadCounts {
  providerType: ProviderType;
  /** Requests of the last 24 hours per request of the daily limit, of the worst project. 0 without a limit. */
  usedRatio: number;
  /** Since the last successful read of a calendar with a live channel. 0 without one. */
  longestSeconds: number;
  /** 0 to 1. 1 without calendars. */
  nearRatio: number;
}

export abstract class InstallationStats {
  abstract count(pushing: readonly ProviderType[]): Promise<InstallationCounts>;
}
