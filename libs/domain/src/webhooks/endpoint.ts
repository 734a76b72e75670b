import type { ApplicationRef } from '../applications/application.js';
import type { ProviderChannel } from '../channels/channel.js';

export interface StoredSigningSecrets {
  active: string;
  /** Replaced secrets, newest first. Each still signs until its end. */
  retiring: { secret: string; endsAt: Date }[];
}

/** `gone`: HTTP 410. `failing`: failed for too long. `requested`: by an operator or the application. */
export type DisabledReason = 'gone' | 'failing' | 'requested';

export interface WebhookEndpoint {
  id: string;
  applicationId: string;
  /** null for an endpoint of the application, which receives account events. */
  syncedCalendarId: string | null;
  url: string;
  eventTypes: string[];
  /** Maximum attempts started per second. null for no limit. */
  rateLimit: number | null;
  /** Start of the current run of failures. null when the last attempt succeeded, and before the first one. */
  failingSince: Date | null;
  /** null while messages are sent. */
  disabledAt: Date | null;
  disabledReason: DisabledReason | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface NewWebhookEndpoint extends Pick<
  WebhookEndpoint,
  'syncedCalendarId' | 'url' | 'eventTypes' | 'rateLimit'
> {
  secrets: StoredSigningSecrets;
}

/** How changes are detected: `push` by notifications, `polled` by a sync every minute. */
export const SUBSCRIPTION_DELIVERIES = ['push', 'polled'] as const;

export type SubscriptionDelivery = (typeof SUBSCRIPTION_DELIVERIES)[number];

export interface WebhookSubscription extends WebhookEndpoint {
  accountId: string;
  calendarId: string;
  /** null without a live channel. */
  channel: Pick<ProviderChannel, 'subscriptionId' | 'resourceId' | 'expiresAt'> | null;
}

/** Ids are ordered by time, so `after` is the last id of the previous page. */
export interface WebhookPage {
  limit: number;
  after: string | null;
}

/** Endpoints and subscriptions. Ids of another application and malformed ids are NotFound. */
export abstract class WebhookEndpointRepository {
  /** @throws DomainError NotFound when the application or the synced calendar does not exist */
  abstract create(application: ApplicationRef, endpoint: NewWebhookEndpoint): Promise<WebhookEndpoint>;
  /** @throws DomainError NotFound */
  abstract get(application: ApplicationRef, endpointId: string): Promise<WebhookEndpoint>;
  abstract list(application: ApplicationRef, page: WebhookPage): Promise<WebhookEndpoint[]>;
  /** @param syncedCalendarId calendar whose subscriptions are counted; null for endpoints of the application */
  abstract count(application: ApplicationRef, syncedCalendarId: string | null): Promise<number>;
  abstract listSubscriptions(
    application: ApplicationRef,
    accountId: string,
    page: WebhookPage,
  ): Promise<WebhookSubscription[]>;
  /**
   * Deletes the endpoint; no attempt is claimed afterwards. @param accountId null for an endpoint of the application
   */
  abstract remove(application: ApplicationRef, endpointId: string, accountId: string | null): Promise<boolean>;
  /** Serializes concurrent changes. Nothing changes when `change` throws. @throws DomainError NotFound */
  abstract changeSecrets(
    application: ApplicationRef,
    endpointId: string,
    change: (secrets: StoredSigningSecrets) => StoredSigningSecrets,
  ): Promise<StoredSigningSecrets>;
  /** Applies within a second, also to waiting messages. @throws DomainError NotFound */
  abstract setRateLimit(application: ApplicationRef, endpointId: string, rateLimit: number | null): Promise<void>;
  abstract disable(application: ApplicationRef, endpointId: string, reason: DisabledReason): Promise<boolean>;
  /** Enables the endpoint. Missed messages need {@link WebhookMessageRepository.recover}. False when it was enabled. */
  abstract enable(application: ApplicationRef, endpointId: string): Promise<boolean>;
}
