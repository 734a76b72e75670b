import { Module } from '@nestjs/common';
import {
  ApplicationsModule,
  CalendarsModule,
  EndUserAccountsModule,
  EventsModule,
  OAuthClientsModule,
  OAuthModule,
  RequestHistoryRecorder,
  SubscriptionsModule,
  WebhooksModule,
} from '#application';
import { DerivedKeysModule } from './derived-keys.module.js';

const features = [
  ApplicationsModule,
  CalendarsModule,
  EndUserAccountsModule,
  EventsModule,
  OAuthClientsModule,
  OAuthModule,
  SubscriptionsModule,
  WebhooksModule,
];

@Module({
  imports: [DerivedKeysModule, ...features],
  providers: [RequestHistoryRecorder],
  exports: [RequestHistoryRecorder, ...features],
})
export class ApplicationModule {}
