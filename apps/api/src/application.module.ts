import { Module } from '@nestjs/common';
import { EndUserAccountsModule } from '#application/accounts';
import { ApplicationsModule } from '#application/applications';
import { CalendarsModule } from '#application/calendars';
import { EventsModule } from '#application/events';
import { OAuthClientsModule, OAuthModule } from '#application/oauth';
import { RequestHistoryRecorder } from '#application/operator';
import { UsageModule } from '#application/usage';
import { SubscriptionsModule, WebhooksModule } from '#application/webhooks';
import { DerivedKeysModule } from './derived-keys.module.js';

const features = [
  ApplicationsModule,
  CalendarsModule,
  EndUserAccountsModule,
  EventsModule,
  OAuthClientsModule,
  OAuthModule,
  SubscriptionsModule,
  UsageModule,
  WebhooksModule,
];

@Module({
  imports: [DerivedKeysModule, ...features],
  providers: [RequestHistoryRecorder],
  exports: [RequestHistoryRecorder, ...features],
})
export class ApplicationModule {}
