import { Injectable } from '@nestjs/common';
import { AccountRepository, type ProviderType } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { Clock, DomainError } from '#domain/system';
import { WebhookEndpointRepository, type SubscriptionDelivery, type WebhookSubscription } from '#domain/webhooks';
import { ExternalDelivery } from '#webhooks';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { mapPage, readPage, type PageOf, type PageRequest } from '../webhooks/endpoint-pages.js';

/** Section 2.5 of the interface specification. Channel fields are null without a live channel. */
export interface SubscriptionView {
  id: string;
  provider: ProviderType;
  url: string;
  calendarId: string;
  delivery: SubscriptionDelivery;
  expiration: string | null;
  subscriptionId: string | null;
  resourceId: string | null;
  endUserAccountId: string;
  createdAt: string;
  updatedAt: string;
}

@Injectable()
export class CalendarSubscriptions {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly endpoints: WebhookEndpointRepository,
    private readonly service: ExternalDelivery,
    private readonly tokens: SealedTokens,
    private readonly clock: Clock,
  ) {}

  /** Oldest first. @throws DomainError NotFound, ValidationFailed, PageTokenInvalid */
  async list(application: ApplicationRef, accountId: string, request: PageRequest): Promise<PageOf<SubscriptionView>> {
    const { id, providerType } = await this.accounts.getOwned(application, accountId);
    const page = await readPage(this.tokens, ['subscriptions', application.applicationId, id], request, (page) =>
      this.endpoints.listSubscriptions(application, id, page),
    );
    return mapPage(page, (subscription) => this.toView(subscription, providerType));
  }

  /** No attempt starts after it returns. @throws DomainError NotFound, ProviderUnavailable */
  async delete(application: ApplicationRef, accountId: string, subscriptionId: string): Promise<{ success: true }> {
    const { id } = await this.accounts.getOwned(application, accountId);
    if (!(await this.endpoints.remove(application, subscriptionId, id))) {
      throw new DomainError('NotFound', 'The account has no subscription with this id.');
    }
    await this.service.remove({ ...application, id: subscriptionId });
    return { success: true };
  }

  private toView(subscription: WebhookSubscription, provider: ProviderType): SubscriptionView {
    const { id, url, calendarId, accountId, createdAt, updatedAt } = subscription;
    const channel = this.liveChannel(subscription);
    return {
      id,
      provider,
      url,
      calendarId,
      delivery: channel === null ? 'polled' : 'push',
      expiration: channel?.expiresAt?.toISOString() ?? null,
      subscriptionId: channel?.subscriptionId ?? null,
      resourceId: channel?.resourceId ?? null,
      endUserAccountId: accountId,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
    };
  }

  private liveChannel({ channel }: WebhookSubscription): WebhookSubscription['channel'] {
    return (channel?.expiresAt?.getTime() ?? 0) > this.clock.nowMs() ? channel : null;
  }
}
