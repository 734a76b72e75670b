import { Injectable } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import { Clock, DomainError, IdGenerator } from '#domain/system';
import {
  WebhookEndpointRepository,
  WebhookMessageRepository,
  type DeliveryAttempt,
  type MessageState,
  type StoredWebhookMessage,
} from '#domain/webhooks';
import { ExternalDelivery, messageIdOf, testMessage, uuidOf } from '#webhooks';
import { readInstant } from '../events/event-query.js';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { mapPage, readPage, type PageOf, type PageRequest } from './endpoint-pages.js';

export interface MessageView {
  /** `webhook-id` header of the attempts. */
  id: string;
  eventType: string;
  state: MessageState;
  /** null unless failed. */
  failureReason: string | null;
  /** null unless pending. */
  nextAttemptAt: string | null;
  createdAt: string;
}

@Injectable()
export class EndpointMessages {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly messages: WebhookMessageRepository,
    private readonly service: ExternalDelivery,
    private readonly tokens: SealedTokens,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {}

  /** Newest first. @throws DomainError NotFound, ValidationFailed, PageTokenInvalid */
  async list(
    application: ApplicationRef,
    endpointId: string,
    { state = null, ...request }: PageRequest & { state?: MessageState | null },
  ): Promise<PageOf<MessageView>> {
    const { id } = await this.endpoints.get(application, endpointId);
    const page = await readPage(
      this.tokens,
      ['webhook-messages', application.applicationId, id, state ?? ''],
      request,
      (page) => this.messages.list(application, id, { ...page, state }),
    );
    return mapPage(page, toMessageView);
  }

  /** From the external delivery service if there is one. @throws DomainError NotFound, ProviderUnavailable */
  async attempts(application: ApplicationRef, endpointId: string, messageId: string): Promise<DeliveryAttempt[]> {
    const { id } = await this.message(application, endpointId, messageId);
    const theirs = await this.service.attempts(application.applicationId, messageIdOf(id));
    return theirs ?? (await this.messages.attempts(application, id));
  }

  /** @throws DomainError NotFound, Conflict */
  async sendTest(application: ApplicationRef, endpointId: string): Promise<{ messageId: string }> {
    const endpoint = await this.enabled(application, endpointId);
    const uuid = this.ids.next();
    const { id: messageId, ...message } = testMessage(uuid, new Date(this.clock.nowMs()));
    await this.messages.add(application, endpoint, { id: uuid, ...message });
    return { messageId };
  }

  /** Makes one attempt beside the schedule, in any state of the message. @throws DomainError NotFound, Conflict */
  async resend(application: ApplicationRef, endpointId: string, messageId: string): Promise<{ success: true }> {
    const { id } = await this.message(application, await this.enabled(application, endpointId), messageId);
    await this.messages.resend(application, id);
    return { success: true };
  }

  /** @param since ISO 8601, UTC without an offset @throws DomainError NotFound, ValidationFailed, Conflict */
  async recover(application: ApplicationRef, endpointId: string, since: string): Promise<{ recovered: number }> {
    const from = new Date(readInstant('since', since, null));
    const id = await this.enabled(application, endpointId);
    const recovered = await this.messages.recover(application, id, from);
    await this.service.recover({ ...application, id }, from);
    return { recovered };
  }

  private async enabled(application: ApplicationRef, endpointId: string): Promise<string> {
    const { id, disabledAt } = await this.endpoints.get(application, endpointId);
    if (disabledAt !== null) throw new DomainError('Conflict', 'The endpoint is disabled. Enable it first.');
    return id;
  }

  private async message(
    application: ApplicationRef,
    endpointId: string,
    messageId: string,
  ): Promise<StoredWebhookMessage> {
    const { id } = await this.endpoints.get(application, endpointId);
    const uuid = uuidOf(messageId);
    const message = uuid === null ? null : await this.messages.find(application, id, uuid);
    if (message === null) throw new DomainError('NotFound', 'The endpoint has no message with this id.');
    return message;
  }
}

function toMessageView(message: StoredWebhookMessage): MessageView {
  const { id, eventType, state, failureReason, nextAttemptAt, createdAt } = message;
  return {
    id: messageIdOf(id),
    eventType,
    state,
    failureReason,
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}
