import { Module, Global } from '@nestjs/common';
import { ExternalDeliveryModule, EndpointUrlPolicy } from '#webhooks';
import { AccountsModule } from '../accounts/accounts.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { SubscriptionCreator } from './subscription-creator.js';
import { CalendarSubscriptions } from './calendar-subscriptions.js';
import { EndpointMessages } from './endpoint-messages.js';
import { SubscriptionRegistration } from './subscribed-calendars.js';
import { WebhookEndpoints } from './webhook-endpoints.js';
import { ChangeDetector } from './change-detector.js';
import { CalendarSyncService } from './calendar-sync.service.js';
import { SyncRequests } from './sync-requests.js';
import { ChannelReconciler } from './channel-reconciler.js';
import { ChannelTokenCache, ProviderNotifications } from './provider-notifications.service.js';
import { ChannelClient, NotificationUrls } from './channel-client.js';
import { InitialSync } from './initial-sync.js';

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
@Module({ imports: [AccountsModule], providers: [...internals, ...services], exports: services })
export class WebhooksModule {}
