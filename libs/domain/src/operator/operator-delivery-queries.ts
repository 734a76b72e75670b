import type { WebhookEndpoint, WebhookPage } from '../webhooks/endpoint.js';
import type { MessageFilter, StoredWebhookMessage } from '../webhooks/message.js';

/** `failing`: the last attempts failed. `disabled`: nothing is sent. */
export type EndpointState = 'active' | 'failing' | 'disabled';

/** Ids are UUIDs. null leaves a field unfiltered. */
export interface EndpointFilter {
  applicationId: string | null;
  accountId: string | null;
  kind: 'subscription' | 'application' | null;
  state: EndpointState | null;
}

export interface EndpointSummary extends Omit<WebhookEndpoint, 'updatedAt'> {
  applicationName: string;
  /** null unless the endpoint belongs to a subscription. */
  accountId: string | null;
  calendarId: string | null;
  /** Among the latest 1,000 messages, because counting all of them is unbounded. */
  pending: number;
  failed: number;
}

export interface MessageSummary extends StoredWebhookMessage {
  applicationId: string;
  applicationName: string;
  /** null when the endpoint was deleted. */
  url: string | null;
  attempts: number;
}

export interface MessageDetail extends MessageSummary {
  body: string;
  /** As in the headers of the attempts. null when not applicable or when the endpoint was deleted. */
  webhookSubscriptionId: string | null;
  accountId: string | null;
  calendarId: string | null;
}

/** `from` inclusive, `to` exclusive. `bucketSeconds` divides the range. */
export interface BucketedRange {
  from: Date;
  to: Date;
  bucketSeconds: number;
}

export interface Durations {
  p50Ms: number;
  p95Ms: number;
}

/** Attempts started in the bucket. Pending and interrupted ones count as neither. */
export interface AttemptBucket extends Durations {
  index: number;
  delivered: number;
  failed: number;
}

export abstract class OperatorDeliveryQueries {
  abstract endpoints(filter: EndpointFilter, page: WebhookPage): Promise<EndpointSummary[]>;
  /** Returns null when `endpointId` is unknown or not a UUID. */
  abstract endpoint(endpointId: string): Promise<EndpointSummary | null>;
  abstract messages(filter: MessageFilter, page: WebhookPage): Promise<MessageSummary[]>;
  /** Returns null when `messageId` is unknown or not a UUID. */
  abstract message(messageId: string): Promise<MessageDetail | null>;
  abstract attempts(
    filter: Pick<MessageFilter, 'applicationId' | 'endpointId'>,
    range: BucketedRange,
  ): Promise<AttemptBucket[]>;
}
