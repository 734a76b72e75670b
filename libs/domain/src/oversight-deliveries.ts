import type { AccountStatus, ProviderType } from './account.js';
import type { MessageState, StoredWebhookMessage, WebhookEndpoint, WebhookPage } from './webhooks.js';

// What operators see of all applications at once. Nothing here changes anything, except that failed jobs are run again.

/** `failing`: the last attempts failed. `disabled`: nothing is sent any more. */
export type EndpointState = 'active' | 'failing' | 'disabled';

/** Ids are UUIDs; null: whatever it is. */
export interface EndpointFilter {
  applicationId: string | null;
  /** Subscriptions of its calendars. */
  accountId: string | null;
  kind: 'subscription' | 'application' | null;
  state: EndpointState | null;
}

export interface OverseenEndpoint extends Omit<WebhookEndpoint, 'updatedAt'> {
  applicationName: string;
  /** Of a subscription. */
  accountId: string | null;
  calendarId: string | null;
  /** Among its latest 1,000 messages: what came before would have to be counted without end. */
  pending: number;
  failed: number;
}

/** Ids are UUIDs; null: whatever it is. */
export interface MessageFilter {
  applicationId: string | null;
  endpointId: string | null;
  state: MessageState | null;
}

export interface OverseenMessage extends StoredWebhookMessage {
  applicationId: string;
  applicationName: string;
  /** null: its endpoint was removed. */
  url: string | null;
  attempts: number;
}

export interface OverseenMessageDetail extends OverseenMessage {
  /** The text whose UTF-8 is sent. */
  body: string;
  /** As attempts say it in their headers; null: it is about something else, or its endpoint was removed. */
  webhookSubscriptionId: string | null;
  accountId: string | null;
  calendarId: string | null;
}

/** From its beginning to before its end, in buckets of equal length. */
export interface BucketedRange {
  from: Date;
  to: Date;
  bucketSeconds: number;
}

/** How long things took, milliseconds. */
export interface Durations {
  p50Ms: number;
  p95Ms: number;
}

/** Of the attempts that started in it; those that are under way, or were broken off by us, count as neither. */
export interface AttemptBucket extends Durations {
  /** Of the bucket in its range, from 0. */
  index: number;
  delivered: number;
  failed: number;
}

/** Endpoints, messages and attempts of all applications. */
export abstract class DeliveryOversight {
  /** Newest first. */
  abstract endpoints(filter: EndpointFilter, page: WebhookPage): Promise<OverseenEndpoint[]>;
  /** null for something that is no id, too. */
  abstract endpoint(endpointId: string): Promise<OverseenEndpoint | null>;
  /** Newest first. */
  abstract messages(filter: MessageFilter, page: WebhookPage): Promise<OverseenMessage[]>;
  /** null for something that is no id, too. */
  abstract message(messageId: string): Promise<OverseenMessageDetail | null>;
  /** Buckets in which there was an attempt, in any order. */
  abstract attempts(filter: Omit<MessageFilter, 'state'>, range: BucketedRange): Promise<AttemptBucket[]>;
}

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
