import type { AccountStatus, ProviderType } from '../accounts/account.js';
import type { BucketedRange, Durations } from '../webhooks/delivery-oversight.js';

export interface AccountCount {
  providerType: ProviderType;
  status: AccountStatus;
  count: number;
}

export interface RequestBucket extends Durations {
  index: number;
  /** Below 400. */
  ok: number;
  /** 4xx */
  refused: number;
  /** 5xx */
  failed: number;
}

export interface DeliveryBacklog {
  /** How long the oldest message waits that is due and nobody's, seconds. null: none waits. */
  lagSeconds: number | null;
  /** Counted up to 10,000. */
  pending: number;
  /** Counted up to 5,000. */
  failedLastDay: number;
}

/** Of the requests that led to a provider; it failed those with 502, 503 and 504. */
export interface ProviderBucket {
  index: number;
  providerType: ProviderType;
  requests: number;
  failures: number;
  lastFailureAt: Date | null;
}

/** Figures of the whole installation. */
export abstract class OverviewFigures {
  /** Of those that there are. */
  abstract accounts(): Promise<AccountCount[]>;
  /** Buckets in which there was a request, in any order. */
  abstract requests(range: BucketedRange): Promise<RequestBucket[]>;
  abstract backlog(): Promise<DeliveryBacklog>;
  /** Buckets of providers to which a request has led, in any order. */
  abstract providers(range: BucketedRange): Promise<ProviderBucket[]>;
  /** Providers that refuse so many grants at once that accounts are not declared EXPIRED for the time being. */
  abstract holdingProviders(): Promise<ProviderType[]>;
}

export interface QueueDepth {
  name: string;
  waiting: number;
  active: number;
  delayed: number;
  /** For good. */
  failed: number;
}

export interface FailedJob {
  queue: string;
  id: string;
  name: string;
  attempts: number;
  failedAt: Date | null;
  /** Text of the last error. */
  reason: string;
}

/** The queues of this installation. @throws DomainError ProviderUnavailable, soon, when their store is away */
export abstract class QueueBoard {
  abstract depths(): Promise<QueueDepth[]>;
  /** For how long the oldest job of each queue has waited, seconds; 0: none waits. */
  abstract waits(): Promise<{ queue: string; seconds: number }[]>;
  /** Newest first. @param limit of each queue */
  abstract failed(limit: number): Promise<FailedJob[]>;
  /**
   * Lets failed jobs run again, with all their attempts. A job is safe to run twice.
   * @param jobId one job; null: all that have failed by now
   * @returns how many; null: there is no such queue
   */
  abstract redrive(queue: string, jobId: string | null): Promise<number | null>;
}

/** What there is of all applications at this moment, for who measures. */
export interface InstallationCounts {
  accounts: AccountCount[];
  /** Of providers that push. `wanted`: calendars that are subscribed to, and that their provider would push. */
  channels: { providerType: ProviderType; wanted: number; actual: number }[];
  /** OAuth clients whose refused accounts are held back from EXPIRED. */
  holds: { providerType: ProviderType; clients: number }[];
  /** For how long the account whose credentials are to be tried next has been due; 0: it is not yet. */
  checkOverdueSeconds: number;
  /** Looks at calendars that are due and nobody's, as many as are counted, and for how long the oldest one has been; 0: none is. */
  looks: { due: number; oldestDueSeconds: number };
  /** Messages that something is still to be done for: now, or at a time to come. */
  messages: { due: number; scheduled: number };
  /** For how long the oldest one has been due, and is nobody's; 0: none is. */
  oldestDueSeconds: number;
  /** Endpoints that were given up. */
  disabledEndpoints: number;
  /** Of the oldest account event that is no message yet; 0: there is none. */
  oldestAccountEventSeconds: number;
}

export abstract class InstallationFigures {
  /** @param pushing the providers that push */
  abstract count(pushing: readonly ProviderType[]): Promise<InstallationCounts>;
}
