import { Module, type DynamicModule } from '@nestjs/common';
import {
  AccountsModule,
  AccountsService,
  ApiKeysService,
  ApplicationsService,
  CalendarsService,
  CalendarSubscribing,
  CalendarSubscriptions,
  CallbackAddress,
  EndpointMessages,
  EndpointUrls,
  EventsService,
  FreeBusyService,
  OAuthClientsService,
  RedirectUrlsService,
  RequestRecorder,
  SealedTokens,
  SealingKeys,
  SignInAttempts,
  SignInGrants,
  SignInProviders,
  SignInService,
  SignInTests,
  SignInTestTrial,
  SubscribedCalendars,
  WebhookEndpoints,
  WebhooksModule,
} from '#application';
import { Clock, RequestLogRepository } from '#domain';
import { Egress } from '#egress';
import { LookoutModule } from '#jobs';
import { KeyRing } from '#persistence';
import type { Config } from '#platform';
import { DeliveryService, deliveryService, judgeEndpointUrl } from '#webhooks';

/** What tokens are sealed for; changing it makes every token that is out there worthless. */
const PURPOSE = 'client-tokens';

const services = [
  AccountsService,
  ApiKeysService,
  ApplicationsService,
  CalendarsService,
  CalendarSubscribing,
  CalendarSubscriptions,
  EndpointMessages,
  EventsService,
  FreeBusyService,
  OAuthClientsService,
  RedirectUrlsService,
  SignInProviders,
  SignInService,
  SignInTests,
  WebhookEndpoints,
];

/** The use cases. Their ports come from global modules. */
@Module({})
export class ApplicationModule {
  static forRoot(config: Config): DynamicModule {
    const accounts = AccountsModule.forRoot(config.providers);
    const { databaseUrl, redisUrl = null } = config;
    return {
      module: ApplicationModule,
      imports: [accounts, WebhooksModule.forRoot(accounts, config), LookoutModule.forRoot({ databaseUrl, redisUrl })],
      providers: [
        ...services,
        SignInAttempts,
        SignInGrants,
        SignInTestTrial,
        SubscribedCalendars,
        {
          provide: EndpointUrls,
          inject: [Egress],
          useFactory: (egress: Egress): EndpointUrls => ({
            judge: (url, field) => judgeEndpointUrl(egress, url, field),
          }),
        },
        {
          provide: DeliveryService,
          inject: [Egress, Clock],
          useFactory: (egress: Egress, clock: Clock) => deliveryService(config, { egress, nowMs: () => clock.nowMs() }),
        },
        { provide: CallbackAddress, useFactory: () => new CallbackAddress(config.publicUrl) },
        {
          provide: SealingKeys,
          inject: [KeyRing],
          useFactory: (ring: KeyRing): SealingKeys => ({
            current: () => ({ kid: ring.current().kid, key: ring.current().deriveKey(PURPOSE) }),
            byId: (kid) => ring.byId(kid)?.deriveKey(PURPOSE) ?? null,
          }),
        },
        {
          provide: RequestRecorder,
          inject: [RequestLogRepository],
          useFactory: (log: RequestLogRepository) => new RequestRecorder(log, config.requestLogDays > 0),
        },
        { provide: SealedTokens, inject: [SealingKeys], useFactory: (keys: SealingKeys) => new SealedTokens(keys) },
      ],
      exports: [...services, DeliveryService, RequestRecorder, SealedTokens, accounts],
    };
  }
}
