import { Injectable } from '@nestjs/common';
import {
  OperatorDeliveryQueries,
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
import { ExternalDelivery, lastingHeaders, uuidOf } from '#webhooks';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { readInstant } from '../events/event-query.js';
import { readPage, type PageOf, type PageRequest } from '../webhooks/endpoint-pages.js';
import { rangeUntil, withoutGaps, type Bucketed, type Counts } from './deliveries-buckets.js';

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
