import type { EgressFailure } from '#egress';
import type { DeliveryIdentity } from './delivery-headers.js';
import type { EndpointSecrets } from './endpoint-secrets.js';

/** How messages leave: to their receivers, or to a service that delivers them. */
export abstract class WebhookTransport {
  /**
   * Makes one attempt. Whatever the other side does is a result; `signal` ends the attempt with the failure `aborted`.
   */
  abstract attempt(delivery: WebhookDelivery, signal?: AbortSignal): Promise<AttemptResult>;
}

/** One message for one endpoint. */
export interface WebhookDelivery {
  message: {
    /** `webhook-id`, the same for all attempts. */
    id: string;
    eventType: string;
    /** JSON in UTF-8. */
    body: Buffer;
  };
  endpoint: WebhookEndpoint;
  identity: DeliveryIdentity;
  /** Somebody asked for this attempt, beside the schedule. */
  isByHand: boolean;
}

export interface WebhookEndpoint {
  /** No two share a connection, whatever their URLs. */
  id: string;
  applicationId: string;
  url: string;
  /** Attempts that may start in a second; null: no limit. Callers have waited for their turn. */
  rateLimit: number | null;
  secrets: EndpointSecrets;
}

/** What came of an attempt. */
export interface AttemptResult {
  startedAt: Date;
  /** Whole milliseconds. */
  durationMs: number;
  /** null: none came. */
  status: number | null;
  /** Why there is no whole answer; null: there is, or more of it than is read. */
  failure: EgressFailure | null;
  /** The first KiB of the answer, safe to store; '' for none. */
  responseText: string;
  /** `Retry-After`, at most 24 h; null for none. */
  retryAfterMs: number | null;
}
