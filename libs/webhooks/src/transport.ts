import type { EgressFailure } from '#egress';
import type { DeliveryIdentity } from './sender.js';
import type { EndpointSecrets } from './endpoint-secrets.js';

export abstract class WebhookTransport {
  /** Makes one attempt. Failures of the other side are results; `signal` ends it with the failure `aborted`. */
  abstract attempt(delivery: WebhookDelivery, signal?: AbortSignal): Promise<AttemptResult>;
}

export interface WebhookDelivery {
  message: {
    id: string;
    eventType: string;
    body: Buffer;
  };
  endpoint: TransportEndpoint;
  identity: DeliveryIdentity;
  /** True for a manual resend. */
  isByHand: boolean;
}

export interface TransportEndpoint {
  /** Endpoints never share connections, even with equal URLs. */
  id: string;
  applicationId: string;
  url: string;
  /** Attempts per second; null for no limit. The caller has applied it. */
  rateLimit: number | null;
  secrets: EndpointSecrets;
}

export interface AttemptResult {
  startedAt: Date;
  durationMs: number;
  /** null without a response. */
  status: number | null;
  /** Why the response is missing or incomplete; null when it is complete or longer than is read. */
  failure: EgressFailure | null;
  /** The first KiB of the response, safe to store; '' without one. */
  responseText: string;
  /** `Retry-After`, at most 24 h; null when absent. */
  retryAfterMs: number | null;
}
