import type { DeliveryAttempt } from '#domain';
import type { WebhookEndpoint } from './transport.js';

export type EndpointRef = Pick<WebhookEndpoint, 'id' | 'applicationId'>;

/**
 * An external service that delivers the messages (Svix), and the changes of endpoints that it must learn beside them.
 * All methods ignore endpoints that it does not know yet.
 * @throws DomainError ProviderUnavailable when it is unreachable or returns an error
 */
export abstract class DeliveryService {
  abstract remove(endpoint: EndpointRef): Promise<void>;
  /** Deletes the application with all its endpoints. */
  abstract removeApplication(applicationId: string): Promise<void>;
  /** Resumes deliveries to a disabled endpoint. */
  abstract enable(endpoint: EndpointRef): Promise<void>;
  abstract setRateLimit(endpoint: EndpointRef, rateLimit: number | null): Promise<void>;
  /** Signs with these secrets from now on. */
  abstract setSecrets(endpoint: EndpointRef & Pick<WebhookEndpoint, 'secrets'>): Promise<void>;
  /** Resends messages accepted since then whose delivery failed. */
  abstract recover(endpoint: EndpointRef, since: Date): Promise<void>;
  /**
   * Attempts at a message, in order of their start; null when the service does not have the message.
   * @param messageId `webhook-id` of the message
   */
  abstract attempts(applicationId: string, messageId: string): Promise<DeliveryAttempt[] | null>;
}

/** Without an external service: we deliver ourselves. */
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
