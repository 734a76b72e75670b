import type { DeliveryAttempt } from '#domain/webhooks';
import type { TransportEndpoint } from './transport.js';

export type EndpointRef = Pick<TransportEndpoint, 'id' | 'applicationId'>;

/** External delivery of messages. Ignores unknown endpoints. @throws DomainError ProviderUnavailable */
export abstract class ExternalDelivery {
  abstract remove(endpoint: EndpointRef): Promise<void>;
  abstract removeApplication(applicationId: string): Promise<void>;
  /** Resumes deliveries to a disabled endpoint. */
  abstract enable(endpoint: EndpointRef): Promise<void>;
  abstract setRateLimit(endpoint: EndpointRef, rateLimit: number | null): Promise<void>;
  abstract setSecrets(endpoint: EndpointRef & Pick<TransportEndpoint, 'secrets'>): Promise<void>;
  /** Resends messages accepted since then whose delivery failed. */
  abstract recover(endpoint: EndpointRef, since: Date): Promise<void>;
  /** In order of their start; null when the service does not have the message. `messageId` is its `webhook-id`. */
  abstract attempts(applicationId: string, messageId: string): Promise<DeliveryAttempt[] | null>;
}

/** Without an external service: we deliver ourselves. */
export class NoExternalDelivery extends ExternalDelivery {
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
