import { Injectable } from '@nestjs/common';
import {
  Clock,
  DeliveryOversight,
  DomainError,
  WebhookMessageRepository,
  type OverseenEndpoint,
  type OverseenMessage,
  type OverseenMessageDetail,
} from '#domain';
import type {
  DeliveryFigures,
  EndpointQuery,
  EndpointState,
  EndpointView,
  FiguresQuery,
  FiguresRange,
  MessageDetail,
  MessageQuery,
  MessageView,
} from '#operator-api';
import { DeliveryService, lastingHeaders, messageIdOf, uuidOf } from '#webhooks';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { toAttemptView } from '../webhooks/endpoint-messages.js';
import { readPage, type PageOf, type PageRequest } from '../webhooks/endpoint-pages.js';
import { rangeUntil, withoutGaps } from './deliveries-buckets.js';

const BUCKETS: Record<FiguresRange, { bucketSeconds: number; count: number }> = {
  '1h': { bucketSeconds: 60, count: 60 },
  '24h': { bucketSeconds: 1_800, count: 48 },
  '7d': { bucketSeconds: 10_800, count: 56 },
};

/** Endpoints, messages and attempts of all applications, to look at. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly oversight: DeliveryOversight,
    private readonly attempts: WebhookMessageRepository,
    private readonly service: DeliveryService,
    private readonly tokens: SealedTokens,
    private readonly clock: Clock,
  ) {}

  /** Newest first. @throws DomainError ValidationFailed, PageTokenInvalid */
  listEndpoints(query: EndpointQuery & PageRequest): Promise<PageOf<EndpointView>> {
    const { applicationId = null, accountId = null, kind = null, state = null } = query;
    const filter = { applicationId, accountId, kind, state };
    return readPage(
      this.tokens,
      ['operator-endpoints', ...bound(filter)],
      query,
      (page) => this.oversight.endpoints(filter, page),
      toEndpointView,
    );
  }

  /** @throws DomainError NotFound */
  async endpoint(endpointId: string): Promise<EndpointView> {
    const endpoint = await this.oversight.endpoint(endpointId);
    if (endpoint === null) throw new DomainError('NotFound', 'There is no endpoint with this id.');
    return toEndpointView(endpoint);
  }

  /** Newest first. @throws DomainError ValidationFailed, PageTokenInvalid */
  listMessages(query: MessageQuery & PageRequest): Promise<PageOf<MessageView>> {
    const { applicationId = null, endpointId = null, state = null } = query;
    const filter = { applicationId, endpointId, state };
    return readPage(
      this.tokens,
      ['operator-messages', ...bound(filter)],
      query,
      (page) => this.oversight.messages(filter, page),
      toMessageView,
    );
  }

  /** With the attempts of whoever delivers. @throws DomainError NotFound, ProviderUnavailable */
  async message(messageId: string): Promise<MessageDetail> {
    const message = await this.find(messageId);
    const theirs = await this.service.attempts(message.applicationId, messageId);
    const attempts = theirs ?? (await this.attempts.attempts(message, message.id));
    const { webhookSubscriptionId, accountId: endUserAccountId, calendarId } = message;
    const requestHeaders =
      theirs === null ? lastingHeaders(messageId, { webhookSubscriptionId, endUserAccountId, calendarId }) : {};
    return {
      ...toMessageView(message),
      body: message.body,
      log: attempts.map((attempt) => ({ ...toAttemptView(attempt), requestHeaders })),
    };
  }

  /** Whose message it is. @throws DomainError NotFound */
  async find(messageId: string): Promise<OverseenMessageDetail> {
    const uuid = uuidOf(messageId);
    const message = uuid === null ? null : await this.oversight.message(uuid);
    if (message === null) throw new DomainError('NotFound', 'There is no message with this id.');
    return message;
  }

  /** Attempts by when they started, until now. */
  async figures(query: FiguresQuery): Promise<DeliveryFigures> {
    const { bucketSeconds, count } = BUCKETS[query.range];
    const asked = rangeUntil(this.clock.nowMs(), bucketSeconds, count);
    const { applicationId = null, endpointId = null } = query;
    const found = await this.oversight.attempts({ applicationId, endpointId }, asked);
    return { bucketSeconds, buckets: withoutGaps(asked, found, { delivered: 0, failed: 0 }) };
  }
}

function bound(filter: object): string[] {
  return Object.values(filter).map((value: string | null) => value ?? '');
}

function stateOf({ disabledAt, failingSince }: OverseenEndpoint): EndpointState {
  if (disabledAt !== null) return 'disabled';
  return failingSince === null ? 'active' : 'failing';
}

function toEndpointView(endpoint: OverseenEndpoint): EndpointView {
  const { watchedCalendarId, failingSince, disabledAt: _, createdAt, ...shown } = endpoint;
  return {
    ...shown,
    kind: watchedCalendarId === null ? 'application' : 'subscription',
    state: stateOf(endpoint),
    failingSince: failingSince?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}

function toMessageView(message: OverseenMessage): MessageView {
  return {
    id: messageIdOf(message.id),
    applicationId: message.applicationId,
    applicationName: message.applicationName,
    endpointId: message.endpointId,
    url: message.url,
    eventType: message.eventType,
    state: message.state,
    failureReason: message.failureReason,
    attempts: message.attempts,
    nextAttemptAt: message.nextAttemptAt?.toISOString() ?? null,
    createdAt: message.createdAt.toISOString(),
  };
}
