import type { WebhookEndpoint, WebhookPage } from './endpoint.js';
import type { MessageState, StoredWebhookMessage } from './message.js';

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
