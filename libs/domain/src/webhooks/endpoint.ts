import type { ApplicationRef } from '../applications/application.js';
import type { ProviderChannel } from '../channels/channel.js';

/** Signing secrets in clear text, in memory only; encrypted at rest. */
export interface StoredSigningSecrets {
  active: string;
  /** Replaced ones, each signs until its end; newest first. */
  retiring: { secret: string; endsAt: Date }[];
}

/** `gone`: it answered 410. `failing`: it did nothing but fail for too long. `requested`: by hand. */
export type DisabledReason = 'gone' | 'failing' | 'requested';

/** Where messages go: of a subscription of one calendar, or of the application as a whole. */
export interface WebhookEndpoint {
  /** Of a subscription, its id. */
  id: string;
  applicationId: string;
  /** null: it is the application's and is told of accounts. */
  watchedCalendarId: string | null;
  url: string;
  /** What it is told; nothing else. */
  eventTypes: string[];
  /** Attempts that may start in a second; null: no limit. */
  rateLimit: number | null;
  /** Since when it has done nothing but fail; null: its last attempt succeeded, or there was none. */
  failingSince: Date | null;
  /** null: messages are sent. */
  disabledAt: Date | null;
  disabledReason: DisabledReason | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface NewWebhookEndpoint extends Pick<
  WebhookEndpoint,
  'watchedCalendarId' | 'url' | 'eventTypes' | 'rateLimit'
> {
  secrets: StoredSigningSecrets;
}

/** How changes of a calendar become known: its provider pushes, or it is looked at every minute. */
export const SUBSCRIPTION_DELIVERIES = ['push', 'polled'] as const;

export type SubscriptionDelivery = (typeof SUBSCRIPTION_DELIVERIES)[number];

/** A calendar's subscription with the channel that keeps it informed. */
export interface WebhookSubscription extends WebhookEndpoint {
  accountId: string;
  calendarId: string;
  /** null: there is none now, or the provider has none. */
  channel: Pick<ProviderChannel, 'subscriptionId' | 'resourceId' | 'expiresAt'> | null;
}

/** Ids are in the order of time, to the millisecond: pages go on after the last id of the page before. */
export interface WebhookPage {
  limit: number;
  after: string | null;
}

/** Endpoints and subscriptions. An id of another application, or something that is no id, is NotFound. */
export abstract class WebhookEndpointRepository {
  /** @throws DomainError NotFound, when the application or the watched calendar is not there */
  abstract create(application: ApplicationRef, endpoint: NewWebhookEndpoint): Promise<WebhookEndpoint>;
  /** @throws DomainError NotFound */
  abstract get(application: ApplicationRef, endpointId: string): Promise<WebhookEndpoint>;
  /** The application's own, oldest first; no subscriptions. */
  abstract list(application: ApplicationRef, page: WebhookPage): Promise<WebhookEndpoint[]>;
  /** @param watchedCalendarId whose subscriptions are counted; null: the application's own endpoints */
  abstract count(application: ApplicationRef, watchedCalendarId: string | null): Promise<number>;
  /** Of an account, oldest first. */
  abstract listSubscriptions(
    application: ApplicationRef,
    accountId: string,
    page: WebhookPage,
  ): Promise<WebhookSubscription[]>;
  /**
   * No attempt is claimed once this has returned; its messages are dropped in time, and the channel of a calendar that
   * nobody subscribes to any more is due for upkeep. False when it was not there.
   * @param accountId of a subscription; null for an endpoint of the application: an id of the other kind is not there
   */
  abstract remove(application: ApplicationRef, endpointId: string, accountId: string | null): Promise<boolean>;
  /**
   * Replaces the secrets by what `change` makes of them, one change after the other. What it throws leaves them as
   * they were.
   * @throws DomainError NotFound
   */
  abstract changeSecrets(
    application: ApplicationRef,
    endpointId: string,
    change: (secrets: StoredSigningSecrets) => StoredSigningSecrets,
  ): Promise<StoredSigningSecrets>;
  /** In force within a second, for messages that wait, too. @throws DomainError NotFound */
  abstract setRateLimit(application: ApplicationRef, endpointId: string, rateLimit: number | null): Promise<void>;
  /** No attempt starts any more. True for the one caller that did it. */
  abstract disable(application: ApplicationRef, endpointId: string, reason: DisabledReason): Promise<boolean>;
  /** It has failed never. What it missed is recovered by {@link WebhookMessageRepository.recover}. False when it was enabled. */
  abstract enable(application: ApplicationRef, endpointId: string): Promise<boolean>;
}
