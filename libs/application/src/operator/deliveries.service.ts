import { Injectable } from '@nestjs/common';
import {
  OperatorDeliveryQueries,
  type AttemptBucket,
  type EndpointFilter,
  type MessageFilter,
  type EndpointSummary,
  type MessageSummary,
  type MessageDetail,
} from '#domain/operator';
import { Clock, DomainError } from '#domain/system';
import { WebhookMessageRepository, type DeliveryAttempt } from '#domain/webhooks';
import { ExternalDelivery, lastingHeaders, uuidOf } from '#webhooks';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { readPage, type PageOf, type PageRequest } from '../webhooks/endpoint-pages.js';
import { rangeUntil, withoutGaps, type Bucketed, type Counts } from './deliveries-buckets.js';

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
    return readPage(this.tokens, ['operator-endpoints', ...bound(filter)], query, (page) =>
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
  listMessages(query: Filters<MessageFilter> & PageRequest): Promise<PageOf<MessageSummary>> {
    const { applicationId = null, endpointId = null, state = null } = query;
    const filter = { applicationId, endpointId, state };
    return readPage(this.tokens, ['operator-messages', ...bound(filter)], query, (page) =>
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

  async stats(query: Filters<Omit<MessageFilter, 'state'>> & { range: StatsRange }): Promise<Bucketed<AttemptBucket>> {
    const { bucketSeconds, count } = BUCKETS[query.range];
    const asked = rangeUntil(this.clock.nowMs(), bucketSeconds, count);
    const { applicationId = null, endpointId = null } = query;
    const found = await this.queries.attempts({ applicationId, endpointId }, asked);
    return { bucketSeconds, buckets: withoutGaps<Counts<AttemptBucket>>(asked, found, { delivered: 0, failed: 0 }) };
  }
}

function bound(filter: object): string[] {
  return Object.values(filter).map((value: string | null) => value ?? '');
}
