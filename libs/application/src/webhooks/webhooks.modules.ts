import { Module, Global } from '@nestjs/common';
import { ExternalDeliveryModule, EndpointUrlPolicy } from '#webhooks';
import { AccountsModule } from '../accounts/accounts.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { SubscriptionCreator } from '../subscriptions/subscription-creator.js';
import { CalendarSubscriptions } from '../subscriptions/calendar-subscriptions.js';
import { EndpointMessages } from './endpoint-messages.js';
import { SubscriptionRegistration } from '../channels/subscribed-calendars.js';
import { WebhookEndpoints } from './webhook-endpoints.js';
import { ChangeDetector } from '../sync/change-detector.js';
import { CalendarSyncService } from '../sync/calendar-sync.service.js';
import { SyncRequests } from '../sync/sync-requests.js';
import { ChannelReconciler } from '../channels/channel-reconciler.js';
import { ChannelTokenCache, ProviderNotifications } from '../channels/provider-notifications.service.js';
import { ChannelClient, NotificationUrls } from '../channels/channel-client.js';
import { InitialSync } from '../sync/initial-sync.js';

const ofApplications = [SubscriptionCreator, CalendarSubscriptions, EndpointMessages, WebhookEndpoints];

@Module({
  imports: [AccountsModule, ExternalDeliveryModule, TokensModule],
  providers: [EndpointUrlPolicy, SubscriptionRegistration, ...ofApplications],
  exports: ofApplications,
})
export class SubscriptionsModule {}

const internals = [ChangeDetector, ChannelTokenCache, ChannelClient, NotificationUrls];

const services = [CalendarSyncService, SyncRequests, ChannelReconciler, InitialSync, ProviderNotifications];

@Global()
@Module({ imports: [AccountsModule, UsageModule], providers: [...internals, ...services], exports: services })
export class WebhooksModule {}
