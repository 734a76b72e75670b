import { Injectable } from '@nestjs/common';
import {
  Clock,
  DomainError,
  WebhookEndpointRepository,
  type AccountEventType,
  type ApplicationRef,
  type DisabledReason,
  type WebhookEndpoint,
} from '#domain';
import { DeliveryService, EndpointUrls, revealedSecrets, rotated, secretsFrom, SigningSecret } from '#webhooks';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { mapPage, readPage, type PageOf, type PageRequest } from './endpoint-pages.js';

/** Where messages go, and how that goes. Without the secret, which is shown when it is made and never again. */
export interface EndpointView {
  /** Of a subscription, its id. */
  id: string;
  url: string;
  eventTypes: string[];
  /** Attempts that may start in a second; null: no limit. */
  rateLimit: number | null;
  /** Since when every attempt has failed; null: the last one succeeded, or there was none. */
  failingSince: string | null;
  /** null: messages are sent. */
  disabledAt: string | null;
  disabledReason: DisabledReason | null;
  createdAt: string;
  updatedAt: string;
}

export interface NewEndpoint {
  url: string;
  eventTypes: AccountEventType[];
  rateLimit?: number | null;
}

/** An application that makes one at each of its starts notices. */
const MOST_ENDPOINTS = 100;

/**
 * Endpoints of an application, which are told of its accounts; and what can be done to any endpoint, subscriptions
 * included.
 */
@Injectable()
export class WebhookEndpoints {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly service: DeliveryService,
    private readonly urls: EndpointUrls,
    private readonly tokens: SealedTokens,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError ValidationFailed, ServerNotAllowed, Conflict when there are too many */
  async create(
    application: ApplicationRef,
    { url, eventTypes, rateLimit }: NewEndpoint,
  ): Promise<EndpointView & { endpointSecret: string }> {
    await this.urls.judge(url, 'url');
    if ((await this.endpoints.count(application, null)) >= MOST_ENDPOINTS) {
      throw new DomainError('Conflict', `An application has at most ${MOST_ENDPOINTS} endpoints. Delete one first.`);
    }
    const endpointSecret = SigningSecret.generate().reveal();
    const endpoint = await this.endpoints.create(application, {
      watchedCalendarId: null,
      url,
      eventTypes,
      rateLimit: rateLimit ?? null,
      secrets: { active: endpointSecret, retiring: [] },
    });
    return { ...toView(endpoint), endpointSecret };
  }

  /** The application's own, oldest first; no subscriptions. @throws DomainError ValidationFailed, PageTokenInvalid */
  async list(application: ApplicationRef, request: PageRequest): Promise<PageOf<EndpointView>> {
    const page = await readPage(this.tokens, ['webhook-endpoints', application.applicationId], request, (page) =>
      this.endpoints.list(application, page),
    );
    return mapPage(page, toView);
  }

  /** One of the application's own. Once it has returned, no attempt starts. @throws DomainError NotFound, ProviderUnavailable */
  async delete(application: ApplicationRef, endpointId: string): Promise<{ success: true }> {
    if (!(await this.endpoints.remove(application, endpointId, null))) {
      throw new DomainError('NotFound', 'There is no webhook endpoint with this id.');
    }
    await this.service.remove({ ...application, id: endpointId });
    return { success: true };
  }

  /** @throws DomainError NotFound */
  async get(application: ApplicationRef, endpointId: string): Promise<EndpointView> {
    return toView(await this.endpoints.get(application, endpointId));
  }

  /** In force within a second, for messages that wait, too; null lifts it. @throws DomainError NotFound */
  async setRateLimit(application: ApplicationRef, endpointId: string, rateLimit: number | null): Promise<EndpointView> {
    await this.endpoints.setRateLimit(application, endpointId, rateLimit);
    await this.service.setRateLimit({ ...application, id: endpointId }, rateLimit);
    return this.get(application, endpointId);
  }

  /** What it missed stays failed until it is recovered. @throws DomainError NotFound */
  async enable(application: ApplicationRef, endpointId: string): Promise<EndpointView> {
    // First: enabled here alone, it would be disabled again by its next message.
    await this.service.enable({ ...application, id: endpointId });
    await this.endpoints.enable(application, endpointId);
    return this.get(application, endpointId);
  }

  /**
   * The replaced secret signs beside the new one for that long.
   * @param overlapSeconds 0 to 7 days; 24 hours when it is absent
   * @throws DomainError NotFound, Conflict when too many are in force
   */
  async rotateSecret(
    application: ApplicationRef,
    endpointId: string,
    overlapSeconds?: number,
  ): Promise<{ endpointSecret: string }> {
    const next = SigningSecret.generate();
    const overlapMs = overlapSeconds === undefined ? undefined : overlapSeconds * 1_000;
    const secrets = await this.endpoints.changeSecrets(application, endpointId, (stored) =>
      revealedSecrets(rotated(secretsFrom(stored), next, { nowMs: this.clock.nowMs(), overlapMs })),
    );
    await this.service.setSecrets({ ...application, id: endpointId, secrets: secretsFrom(secrets) });
    return { endpointSecret: next.reveal() };
  }
}

function toView(endpoint: WebhookEndpoint): EndpointView {
  return {
    id: endpoint.id,
    url: endpoint.url,
    eventTypes: endpoint.eventTypes,
    rateLimit: endpoint.rateLimit,
    failingSince: endpoint.failingSince?.toISOString() ?? null,
    disabledAt: endpoint.disabledAt?.toISOString() ?? null,
    disabledReason: endpoint.disabledReason,
    createdAt: endpoint.createdAt.toISOString(),
    updatedAt: endpoint.updatedAt.toISOString(),
  };
}
