import { Module, Global } from '@nestjs/common';
import { DeliveryServiceModule, EndpointUrls } from '#webhooks';
import { AccountsModule } from '../accounts/accounts.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { CalendarSubscribing } from './calendar-subscribing.js';
import { CalendarSubscriptions } from './calendar-subscriptions.js';
import { EndpointMessages } from './endpoint-messages.js';
import { SubscribedCalendars } from './subscribed-calendars.js';
import { WebhookEndpoints } from './webhook-endpoints.js';
import { CalendarChanges } from './calendar-changes.js';
import { CalendarLooks } from './calendar-looks.js';
import { ChangeHints } from './change-hints.js';
import { ChannelKeeper } from './channel-keeper.js';
import { ChannelKeys, ProviderPushes } from './provider-pushes.js';
import { ChannelOpenings, NotificationAddresses } from './channel-openings.js';
import { FirstLooks } from './first-looks.js';

const ofApplications = [CalendarSubscribing, CalendarSubscriptions, EndpointMessages, WebhookEndpoints];

@Module({
  imports: [AccountsModule, DeliveryServiceModule, TokensModule],
  providers: [EndpointUrls, SubscribedCalendars, ...ofApplications],
  exports: ofApplications,
})
export class SubscriptionsModule {}

const internals = [CalendarChanges, ChannelKeys, ChannelOpenings, NotificationAddresses];

const services = [CalendarLooks, ChangeHints, ChannelKeeper, FirstLooks, ProviderPushes];

@Global()
@Module({ imports: [AccountsModule], providers: [...internals, ...services], exports: services })
export class WebhooksModule {}
