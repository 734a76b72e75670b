import type { AccountStatus } from './accounts.js';
import type { ProviderType } from './providers.js';
import type { DeliveryBucket } from './deliveries.js';

/** `GET /overview`: asked again every few seconds. A part is null while it cannot be read; the others are told all the same. */
export interface Overview {
  at: string;
  accounts: { providerType: ProviderType; status: AccountStatus; count: number }[] | null;
  /** The last hour, by minutes. */
  requests: { bucketSeconds: number; buckets: RequestBucket[] } | null;
  deliveries: {
    bucketSeconds: number;
    buckets: DeliveryBucket[];
    /**
     * Of messages that are due: how long the oldest waits, seconds; null: none waits. Those that wait for the rate of their
     * endpoint are not late.
     */
    lagSeconds: number | null;
    /** Counted up to 10,000. */
    pending: number;
    /** That failed for good; counted up to 5,000. */
    failedLastDay: number;
  } | null;
  providers: ProviderHealth[] | null;
  queues: QueueView[] | null;
}

export interface RequestBucket {
  at: string;
  ok: number;
  /** 4xx */
  refused: number;
  /** 5xx */
  failed: number;
  p50Ms: number | null;
  p95Ms: number | null;
}

export interface ProviderHealth {
  providerType: ProviderType;
  /**
   * `unknown`: nothing was asked of it in the last hour. `troubled`: some requests fail, or it refuses grants in masses.
   * `down`: most fail.
   */
  state: 'ok' | 'troubled' | 'down' | 'unknown';
  /** Requests through the API in the last hour that led there, and those that it failed (502, 503, 504). */
  requests: number;
  failures: number;
  lastFailureAt: string | null;
}

export interface QueueView {
  name: string;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
}

/**
 * `GET /failedJobs`: those that failed for good, the newest 100 of each queue. `POST /failedJobs/redrive` with one or all of a
 * queue → {@link Redriven}.
 */
export interface FailedJobView {
  queue: string;
  id: string;
  name: string;
  attempts: number;
  failedAt: string | null;
  reason: string;
}

export interface RedriveInput {
  queue: string;
  /** Left out: all of the queue. */
  jobId?: string;
}

export interface Redriven {
  redriven: number;
}

/** `GET /requests`, newest first. Metadata alone. */
export interface RequestQuery {
  /** `x-request-id` */
  requestId?: string;
  applicationId?: string;
  accountId?: string;
  /** A status, or a class of them. */
  status?: number | '2xx' | '3xx' | '4xx' | '5xx';
  from?: string;
  to?: string;
}

export interface RequestView {
  requestId: string;
  at: string;
  method: string;
  /** The path of the route with its names, `/v1/endUserAccounts/:endUserAccountId`: no query, no ids. */
  route: string;
  status: number;
  /** Of the error envelope. */
  errorCode: string | null;
  durationMs: number;
  applicationId: string | null;
  apiKeyId: string | null;
  accountId: string | null;
  providerType: ProviderType | null;
}
