import { Injectable } from '@nestjs/common';
import { AuditLog, type EndpointSummary } from '#domain/operator';
import { Clock, invalid } from '#domain/system';
import { WebhookMessageRepository } from '#domain/webhooks';
import { DEFAULT_OVERLAP_MS, messageIdOf, uuidOf } from '#webhooks';
import { recordAction } from '../system/actor.js';
import { CalendarSubscriptions } from '../subscriptions/calendar-subscriptions.js';
import { EndpointMessages } from '../webhooks/endpoint-messages.js';
import { WebhookEndpoints } from '../webhooks/webhook-endpoints.js';
import { OperatorDeliveriesService, toMessageFilter, type MessageQuery } from './deliveries.service.js';

/** Bounds the transaction of a request. */
const RESENT_AT_ONCE = 1_000;

export interface ResendMatching extends Omit<MessageQuery, 'state'> {
  /** Pending messages have their schedule. */
  state: 'failed' | 'delivered';
  from: string;
  /** Id of a message: only later ones. */
  after?: string;
}

export interface Resent {
  resent: number;
  /** Where to go on; null when no message is left. */
  after: string | null;
}

@Injectable()
export class DeliveryActions {
  constructor(
    private readonly deliveries: OperatorDeliveriesService,
    private readonly endpoints: WebhookEndpoints,
    private readonly subscriptions: CalendarSubscriptions,
    private readonly messages: EndpointMessages,
    private readonly stored: WebhookMessageRepository,
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

  /**
   * Makes one attempt beside the schedule for at most {@link RESENT_AT_ONCE} messages, oldest first. Leaves out those to
   * disabled or removed endpoints.
   * @throws DomainError ValidationFailed
   */
  async resendMatching({ after: previous, ...query }: ResendMatching): Promise<Resent> {
    const after = previous === undefined ? null : uuidOf(previous);
    if (previous !== undefined && after === null) throw invalid('after', 'must be the id of a message');
    const page = { limit: RESENT_AT_ONCE, after };
    const { applicationIds, lastId } = await this.stored.resendMatching(toMessageFilter(query), page);
    const counts = Map.groupBy(applicationIds, (applicationId) => applicationId);
    for (const [applicationId, { length }] of counts) {
      await recordAction(this.audit, 'webhook-message.resent', `webhook-messages:${length}`, applicationId);
    }
    const isMore = applicationIds.length === RESENT_AT_ONCE && lastId !== null;
    return { resent: applicationIds.length, after: isMore ? messageIdOf(lastId) : null };
  }

  private async note({ applicationId, id }: EndpointSummary, action: string): Promise<void> {
    await recordAction(this.audit, action, `webhook-endpoint:${id}`, applicationId);
  }
}
