import type { DeliveryAttempt } from '#domain';
import type { WebhookEndpoint } from './transport.js';

export type EndpointRef = Pick<WebhookEndpoint, 'id' | 'applicationId'>;

/**
 * The service that messages are handed to, and what it has to be told of an endpoint beside them. It may not know the
 * endpoint yet: then there is nothing to tell.
 * @throws DomainError ProviderUnavailable, when it cannot be reached or says no
 */
export abstract class DeliveryService {
  /** The endpoint is removed here: nothing is delivered to it any more. */
  abstract remove(endpoint: EndpointRef): Promise<void>;
  /** The application is removed here, with all of its endpoints. */
  abstract removeApplication(applicationId: string): Promise<void>;
  /** Delivers again after having given up the endpoint. */
  abstract enable(endpoint: EndpointRef): Promise<void>;
  abstract setRateLimit(endpoint: EndpointRef, rateLimit: number | null): Promise<void>;
  /** Signs with these from now on. */
  abstract setSecrets(endpoint: EndpointRef & Pick<WebhookEndpoint, 'secrets'>): Promise<void>;
  /** Sends again what it has failed to deliver, of messages that it was given since then. */
  abstract recover(endpoint: EndpointRef, since: Date): Promise<void>;
  /**
   * Its attempts to deliver a message, in the order in which they started.
   * @param messageId `webhook-id` of the message here
   * @returns null for a message that it does not have: what there is to say is in our own log
   */
  abstract attempts(applicationId: string, messageId: string): Promise<DeliveryAttempt[] | null>;
}

/** There is none: messages go to their receivers from here. */
export class NoDeliveryService extends DeliveryService {
  override async remove(): Promise<void> {}

  override async removeApplication(): Promise<void> {}

  override async enable(): Promise<void> {}

  override async setRateLimit(): Promise<void> {}

  override async setSecrets(): Promise<void> {}

  override async recover(): Promise<void> {}

  override async attempts(): Promise<null> {
    return null;
  }
}
