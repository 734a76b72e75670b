import { Injectable } from '@nestjs/common';
import { AuditLog, type EndpointSummary } from '#domain/operator';
import { Clock } from '#domain/system';
import { DEFAULT_OVERLAP_MS } from '#webhooks';
import { recordAction } from '../system/actor.js';
import { CalendarSubscriptions } from '../subscriptions/calendar-subscriptions.js';
import { EndpointMessages } from '../webhooks/endpoint-messages.js';
import { WebhookEndpoints } from '../webhooks/webhook-endpoints.js';
import { OperatorDeliveriesService } from './deliveries.service.js';

@Injectable()
export class DeliveryActions {
  constructor(
    private readonly deliveries: OperatorDeliveriesService,
    private readonly endpoints: WebhookEndpoints,
    private readonly subscriptions: CalendarSubscriptions,
    private readonly messages: EndpointMessages,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError NotFound, ProviderUnavailable */
  async setRateLimit(endpointId: string, rateLimit: number | null): Promise<EndpointSummary> {
    const endpoint = await this.deliveries.endpoint(endpointId);
    await this.endpoints.setRateLimit(endpoint, endpoint.id, rateLimit);
    await this.note(endpoint, 'webhook-endpoint.rate-changed');
    return this.deliveries.endpoint(endpoint.id);
  }

  /** No attempt starts after it returns. @throws DomainError NotFound, ProviderUnavailable */
  async remove(endpointId: string): Promise<void> {
    const endpoint = await this.deliveries.endpoint(endpointId);
    if (endpoint.accountId === null) await this.endpoints.delete(endpoint, endpoint.id);
    else await this.subscriptions.delete(endpoint, endpoint.accountId, endpoint.id);
    await this.note(endpoint, 'webhook-endpoint.deleted');
  }

  /** @throws DomainError NotFound, ProviderUnavailable */
  async enable(endpointId: string): Promise<void> {
    const endpoint = await this.deliveries.endpoint(endpointId);
    await this.endpoints.enable(endpoint, endpoint.id);
    await this.note(endpoint, 'webhook-endpoint.enabled');
  }

  /** @throws DomainError NotFound, Conflict while the endpoint is disabled */
  async sendTest(endpointId: string): Promise<void> {
    const endpoint = await this.deliveries.endpoint(endpointId);
    await this.messages.sendTest(endpoint, endpoint.id);
    await this.note(endpoint, 'webhook-endpoint.tested');
  }

  /** @throws DomainError NotFound, ValidationFailed, ProviderUnavailable, Conflict while the endpoint is disabled */
  async recover(endpointId: string, since: string): Promise<{ recovered: number }> {
    const endpoint = await this.deliveries.endpoint(endpointId);
    const recovered = await this.messages.recover(endpoint, endpoint.id, since);
    await this.note(endpoint, 'webhook-endpoint.recovered');
    return recovered;
  }

  /** @throws DomainError NotFound, ProviderUnavailable, Conflict when too many secrets are valid */
  async rotateSecret(endpointId: string): Promise<{ endpointSecret: string; previousUntil: Date }> {
    const endpoint = await this.deliveries.endpoint(endpointId);
    const previousUntil = new Date(this.clock.nowMs() + DEFAULT_OVERLAP_MS);
    const { endpointSecret } = await this.endpoints.rotateSecret(endpoint, endpoint.id);
    await this.note(endpoint, 'webhook-endpoint.secret-rotated');
    return { endpointSecret, previousUntil };
  }

  /** @throws DomainError NotFound, Conflict while the endpoint is disabled */
  async resend(messageId: string): Promise<void> {
    const { applicationId, endpointId } = await this.deliveries.find(messageId);
    await this.messages.resend({ applicationId }, endpointId, messageId);
    await recordAction(this.audit, 'webhook-message.resent', `webhook-message:${messageId}`, applicationId);
  }

  private async note({ applicationId, id }: EndpointSummary, action: string): Promise<void> {
    await recordAction(this.audit, action, `webhook-endpoint:${id}`, applicationId);
  }
}
