import { Module } from '@nestjs/common';
import { DeliveryServiceModule, EndpointUrls } from '#webhooks';
import { AccountsModule } from '../accounts/accounts.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { CalendarSubscribing } from './calendar-subscribing.js';
import { CalendarSubscriptions } from './calendar-subscriptions.js';
import { EndpointMessages } from './endpoint-messages.js';
import { SubscribedCalendars } from './subscribed-calendars.js';
import { WebhookEndpoints } from './webhook-endpoints.js';

const services = [CalendarSubscribing, CalendarSubscriptions, EndpointMessages, WebhookEndpoints];

/** Subscriptions and endpoints of applications, and the messages to them. `WebhooksModule` is global. */
@Module({
  imports: [AccountsModule, DeliveryServiceModule, TokensModule],
  providers: [EndpointUrls, SubscribedCalendars, ...services],
  exports: services,
})
export class SubscriptionsModule {}
