import { Injectable } from '@nestjs/common';
import type { AccountEventType } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { Clock, DomainError } from '#domain/system';
import { WebhookEndpointRepository, type DisabledReason, type WebhookEndpoint } from '#domain/webhooks';
import { ExternalDelivery, EndpointUrlPolicy, revealedSecrets, rotated, secretsFrom, SigningSecret } from '#webhooks';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { mapPage, readPage, type PageOf, type PageRequest } from './endpoint-pages.js';

export interface EndpointView {
  id: string;
  url: string;
  eventTypes: string[];
  /** Attempts per second. null for no limit. */
  rateLimit: number | null;
  /** Start of the current run of failures. null when the last attempt succeeded, and before the first one. */
  failingSince: string | null;
  /** null while messages are sent. */
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

/** Stops applications that create one at each start. */
const MAX_ENDPOINTS = 100;

/** Endpoints for account events, and operations on any endpoint, subscriptions included. */
@Injectable()
export class WebhookEndpoints {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly service: ExternalDelivery,
    private readonly urls: EndpointUrlPolicy,
    private readonly tokens: SealedTokens,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError ValidationFailed, ServerNotAllowed, Conflict when there are too many */
  async create(
    application: ApplicationRef,
    { url, eventTypes, rateLimit }: NewEndpoint,
  ): Promise<EndpointView & { endpointSecret: string }> {
    await this.urls.assertAllowed(url, 'url');
    if ((await this.endpoints.count(application, null)) >= MAX_ENDPOINTS) {
      throw new DomainError('Conflict', `An application has at most ${MAX_ENDPOINTS} endpoints. Delete one first.`);
    }
    const endpointSecret = SigningSecret.generate().reveal();
    const endpoint = await this.endpoints.create(application, {
      syncedCalendarId: null,
      url,
      eventTypes,
      rateLimit: rateLimit ?? null,
      secrets: { active: endpointSecret, retiring: [] },
    });
    return { ...toView(endpoint), endpointSecret };
  }

  /** Oldest first, without subscriptions. @throws DomainError ValidationFailed, PageTokenInvalid */
  async list(application: ApplicationRef, request: PageRequest): Promise<PageOf<EndpointView>> {
    const page = await readPage(this.tokens, ['webhook-endpoints', application.applicationId], request, (page) =>
      this.endpoints.list(application, page),
    );
    return mapPage(page, toView);
  }

  /** No attempt starts after it returns. @throws DomainError NotFound, ProviderUnavailable */
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

  /** Applies within a second, also to waiting messages. null removes the limit. @throws DomainError NotFound */
  async setRateLimit(application: ApplicationRef, endpointId: string, rateLimit: number | null): Promise<EndpointView> {
    await this.endpoints.setRateLimit(application, endpointId, rateLimit);
    await this.service.setRateLimit({ ...application, id: endpointId }, rateLimit);
    return this.get(application, endpointId);
  }

  /** Missed messages stay failed until they are recovered. @throws DomainError NotFound */
  async enable(application: ApplicationRef, endpointId: string): Promise<EndpointView> {
    // The delivery service first: otherwise its next message disables the endpoint here again.
    await this.service.enable({ ...application, id: endpointId });
    await this.endpoints.enable(application, endpointId);
    return this.get(application, endpointId);
  }

  /** @param overlapSeconds default 24 hours @throws DomainError NotFound, Conflict with too many valid secrets */
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
