import { Injectable } from '@nestjs/common';
import { ApplicationRepository, type ApplicationRef } from '#domain/applications';
import type { CalendarProvider } from '#domain/providers';
import { DomainError } from '#domain/system';
import { WebhookEndpointRepository, type SubscriptionDelivery } from '#domain/webhooks';
import { CALENDAR_EVENT_TYPES, EndpointUrlPolicy, SigningSecret } from '#webhooks';
import { AccountAccess } from '../accounts/account-access.js';
import { SubscriptionRegistration } from '../channels/subscribed-calendars.js';

export interface NewSubscription {
  calendarId: string;
  webhookUrl: string;
  rateLimit?: number | null;
}

/** Stops applications that subscribe again at each start. */
const MAX_SUBSCRIPTIONS = 100;

/** Creates subscriptions (section 4.6 of the interface specification) completely or not at all. */
@Injectable()
export class SubscriptionCreator {
  constructor(
    private readonly access: AccountAccess,
    private readonly applications: ApplicationRepository,
    private readonly urls: EndpointUrlPolicy,
    private readonly calendars: SubscriptionRegistration,
    private readonly endpoints: WebhookEndpointRepository,
  ) {}

  /**
   * @throws DomainError NotFound, EndUserAccountExpired, NotSupportedByProvider, ValidationFailed, ServerNotAllowed,
   *   Conflict when the calendar has too many, and what the provider throws
   */
  async subscribe(
    application: ApplicationRef,
    accountId: string,
    { calendarId, webhookUrl, rateLimit }: NewSubscription,
    signal: AbortSignal,
  ): Promise<{ webhookSubscriptionId: string; endpointSecret: string; delivery: SubscriptionDelivery }> {
    // The provider's own id: an alias would become a second calendar with a second channel.
    const { id } = await this.access.use(application, accountId, signal, async ({ provider, session }) => {
      await this.assertSupported(application, provider);
      await this.urls.assertAllowed(webhookUrl, 'webhookUrl');
      return provider.getCalendar(session, calendarId);
    });
    const endpointSecret = SigningSecret.generate().reveal();
    return this.calendars.with(application, accountId, id, signal, async (syncedCalendarId, delivery) => {
      await this.assertRoom(application, syncedCalendarId);
      const subscription = await this.endpoints.create(application, {
        syncedCalendarId,
        url: webhookUrl,
        eventTypes: [...CALENDAR_EVENT_TYPES],
        rateLimit: rateLimit ?? null,
        secrets: { active: endpointSecret, retiring: [] },
      });
      return { webhookSubscriptionId: subscription.id, endpointSecret, delivery };
    });
  }

  private async assertSupported({ applicationId }: ApplicationRef, { push, type }: CalendarProvider): Promise<void> {
    if (push !== null || (await this.applications.find(applicationId))?.pollsCalendars) return;
    throw new DomainError('NotSupportedByProvider', `${type} does not tell of changes: read events with a syncToken.`);
  }

  private async assertRoom(application: ApplicationRef, syncedCalendarId: string): Promise<void> {
    if ((await this.endpoints.count(application, syncedCalendarId)) < MAX_SUBSCRIPTIONS) return;
    throw new DomainError(
      'Conflict',
      `An application has at most ${MAX_SUBSCRIPTIONS} subscriptions of a calendar. Delete one first.`,
    );
  }
}
