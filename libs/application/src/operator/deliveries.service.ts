import { rangeUntil, withoutGaps, type Bucketed, type Counts } from './buckets.js';
import { Injectable } from '@nestjs/common';
import {
  OperatorDeliveryQueries,
  AuditLog,
  type AttemptBucket,
  type EndpointFilter,
  type EndpointSummary,
  type MessageSummary,
  type MessageDetail,
} from '#domain/operator';
import { Clock, DomainError, invalid } from '#domain/system';
import {
  WebhookMessageRepository,
  type DeliveryAttempt,
  type MessageFilter,
  type MessageState,
} from '#domain/webhooks';
import { ExternalDelivery, lastingHeaders, uuidOf, DEFAULT_OVERLAP_MS, messageIdOf } from '#webhooks';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { readInstant } from '../events/event-query.js';
import { readPage, type PageOf, type PageRequest } from '../webhooks/endpoint-pages.js';
import { recordAction } from '../system/actor.js';
import { CalendarSubscriptions } from '../subscriptions/calendar-subscriptions.js';
import { EndpointMessages } from '../webhooks/endpoint-messages.js';
import { WebhookEndpoints } from '../webhooks/webhook-endpoints.js';

/** Ids are UUIDs; `from` (inclusive) and `to` (exclusive) ISO 8601, UTC without an offset. */
export interface MessageQuery {
  applicationId?: string;
  endpointId?: string;
  accountId?: string;
  eventType?: string;
  state?: MessageState;
  from?: string;
  to?: string;
}

type Filters<Filter> = { [K in keyof Filter]?: NonNullable<Filter[K]> };

export type StatsRange = '1h' | '24h' | '7d';

export type MessageDetailWithAttempts = MessageDetail & {
  /** Without timestamp and signature, which are not stored. Empty when an external service delivers. */
  log: (DeliveryAttempt & { requestHeaders: Record<string, string> })[];
};

const BUCKETS: Record<StatsRange, { bucketSeconds: number; count: number }> = {
  '1h': { bucketSeconds: 60, count: 60 },
  '24h': { bucketSeconds: 1_800, count: 48 },
  '7d': { bucketSeconds: 10_800, count: 56 },
};

@Injectable()
export class OperatorDeliveriesService {
  constructor(
    private readonly queries: OperatorDeliveryQueries,
    private readonly attempts: WebhookMessageRepository,
    private readonly service: ExternalDelivery,
    private readonly tokens: SealedTokens,
    private readonly clock: Clock,
  ) {}

  /** Newest first. @throws DomainError ValidationFailed, PageTokenInvalid */
  listEndpoints(query: Filters<EndpointFilter> & PageRequest): Promise<PageOf<EndpointSummary>> {
    const { applicationId = null, accountId = null, kind = null, state = null } = query;
    const filter = { applicationId, accountId, kind, state };
    return readPage(this.tokens, ['operator-endpoints', JSON.stringify(filter)], query, (page) =>
      this.queries.endpoints(filter, page),
    );
  }

  /** @throws DomainError NotFound */
  async endpoint(endpointId: string): Promise<EndpointSummary> {
    const endpoint = await this.queries.endpoint(endpointId);
    if (endpoint === null) throw new DomainError('NotFound', 'There is no endpoint with this id.');
    return endpoint;
  }

  /** Newest first. @throws DomainError ValidationFailed, PageTokenInvalid */
  async listMessages({ limit, pageToken, ...query }: MessageQuery & PageRequest): Promise<PageOf<MessageSummary>> {
    const filter = toMessageFilter(query);
    return readPage(this.tokens, ['operator-messages', JSON.stringify(filter)], { limit, pageToken }, (page) =>
      this.queries.messages(filter, page),
    );
  }

  /** With the attempts of the external service if there is one. @throws DomainError NotFound, ProviderUnavailable */
  async message(messageId: string): Promise<MessageDetailWithAttempts> {
    const message = await this.find(messageId);
    const theirs = await this.service.attempts(message.applicationId, messageId);
    const attempts = theirs ?? (await this.attempts.attempts(message, message.id));
    const { webhookSubscriptionId, accountId: endUserAccountId, calendarId } = message;
    const requestHeaders =
      theirs === null ? lastingHeaders(messageId, { webhookSubscriptionId, endUserAccountId, calendarId }) : {};
    return { ...message, log: attempts.map((attempt) => ({ ...attempt, requestHeaders })) };
  }

  /** @throws DomainError NotFound */
  async find(messageId: string): Promise<MessageDetail> {
    const uuid = uuidOf(messageId);
    const message = uuid === null ? null : await this.queries.message(uuid);
    if (message === null) throw new DomainError('NotFound', 'There is no message with this id.');
    return message;
  }

  async stats(
    query: Pick<MessageQuery, 'applicationId' | 'endpointId'> & { range: StatsRange },
  ): Promise<Bucketed<AttemptBucket>> {
    const { bucketSeconds, count } = BUCKETS[query.range];
    const asked = rangeUntil(this.clock.nowMs(), bucketSeconds, count);
    const { applicationId = null, endpointId = null } = query;
    const found = await this.queries.attempts({ applicationId, endpointId }, asked);
    return { bucketSeconds, buckets: withoutGaps<Counts<AttemptBucket>>(asked, found, { delivered: 0, failed: 0 }) };
  }
}

/** @throws DomainError ValidationFailed */
export function toMessageFilter({ from, to, ...query }: MessageQuery): MessageFilter {
  const filter = {
    applicationId: query.applicationId ?? null,
    endpointId: query.endpointId ?? null,
    accountId: query.accountId ?? null,
    eventType: query.eventType ?? null,
    state: query.state ?? null,
    from: from === undefined ? null : new Date(readInstant('from', from, null)),
    to: to === undefined ? null : new Date(readInstant('to', to, null)),
  };
  if (filter.from !== null && filter.to !== null && filter.from >= filter.to) throw invalid('to', 'must be after from');
  return filter;
}

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
    await this.recordAudit(endpoint, 'webhook-endpoint.rate-changed');
    return this.deliveries.endpoint(endpoint.id);
  }

  /** No attempt starts after it returns. @throws DomainError NotFound, ProviderUnavailable */
  async remove(endpointId: string): Promise<void> {
    const endpoint = await this.deliveries.endpoint(endpointId);
    if (endpoint.accountId === null) await this.endpoints.delete(endpoint, endpoint.id);
    else await this.subscriptions.delete(endpoint, endpoint.accountId, endpoint.id);
    await this.recordAudit(endpoint, 'webhook-endpoint.deleted');
  }

  /** @throws DomainError NotFound, ProviderUnavailable */
  async enable(endpointId: string): Promise<void> {
    const endpoint = await this.deliveries.endpoint(endpointId);
    await this.endpoints.enable(endpoint, endpoint.id);
    await this.recordAudit(endpoint, 'webhook-endpoint.enabled');
  }

  /** @throws DomainError NotFound, Conflict while the endpoint is disabled */
  async sendTest(endpointId: string): Promise<void> {
    const endpoint = await this.deliveries.endpoint(endpointId);
    await this.messages.sendTest(endpoint, endpoint.id);
    await this.recordAudit(endpoint, 'webhook-endpoint.tested');
  }

  /** @throws DomainError NotFound, ValidationFailed, ProviderUnavailable, Conflict while the endpoint is disabled */
  async recover(endpointId: string, since: string): Promise<{ recovered: number }> {
    const endpoint = await this.deliveries.endpoint(endpointId);
    const recovered = await this.messages.recover(endpoint, endpoint.id, since);
    await this.recordAudit(endpoint, 'webhook-endpoint.recovered');
    return recovered;
  }

  /** @throws DomainError NotFound, ProviderUnavailable, Conflict when too many secrets are valid */
  async rotateSecret(endpointId: string): Promise<{ endpointSecret: string; previousUntil: Date }> {
    const endpoint = await this.deliveries.endpoint(endpointId);
    const previousUntil = new Date(this.clock.nowMs() + DEFAULT_OVERLAP_MS);
    const { endpointSecret } = await this.endpoints.rotateSecret(endpoint, endpoint.id);
    await this.recordAudit(endpoint, 'webhook-endpoint.secret-rotated');
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

  private async recordAudit({ applicationId, id }: EndpointSummary, action: string): Promise<void> {
    await recordAction(this.audit, action, `webhook-endpoint:${id}`, applicationId);
  }
}
