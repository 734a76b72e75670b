import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { OPERATOR_URL, PUBLIC_URL } from '#application/system';
import { HealthModule } from '#platform';
import { AccountsController } from './accounts/accounts.controller.js';
import { CONNECT_CONTROLLERS } from './accounts/basic-auth.controller.js';
import type { ApiSettings } from './api-settings.js';
import { ApiKeyGuard } from './auth/api-key.guard.js';
import { RateLimits, connectForLimits, SharedLimits } from './auth/rate-limits.js';
import { CalendarsController } from './calendars/calendars.controller.js';
import { ConnectLinksController } from './connect-links/connect-links.controller.js';
import { ConnectPageController } from './connect-links/connect-page.controller.js';
import { EnvelopeFilter } from './errors/envelope.filter.js';
import { EventsController } from './events/events.controller.js';
import { FreeBusyController } from './free-busy/free-busy.controller.js';
import { IgnoredFieldsInterceptor } from './http/ignored-fields.interceptor.js';
import { BODY_LIMIT_BYTES, ReadBodyInterceptor } from './http/read-body.interceptor.js';
import { WriteInterceptor } from './http/write.interceptor.js';
import { CLAIM_MS, IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { BrowserCookie } from './oauth/browser-cookie.js';
import { AuthorizationUrlsController } from './oauth/authorization-urls.controller.js';
import { OAuthController } from './oauth/oauth.controller.js';
import { completeDocument } from './openapi/complete-document.js';
import { DocsController, OpenApiController } from './openapi/docs.controller.js';
import { OpenApiDocument } from './openapi/openapi-document.js';
import { publicFrame } from './openapi/public-frame.js';
import { InvalidNotificationLimiter, NotificationReceiver } from './provider-notifications/notification-receiver.js';
import {
  NotificationBodyInterceptor,
  NotificationsController,
} from './provider-notifications/notifications.controller.js';
import { SubscriptionsController } from './subscriptions/subscriptions.controller.js';
import { UsageController } from './usage/usage.controller.js';
import { RequestValidationPipe } from './validation/request-validation.pipe.js';
import { WebhookEndpointsController } from './webhook-endpoints/webhook-endpoints.controller.js';
import { WebhookMessagesController } from './webhook-endpoints/webhook-messages.controller.js';

/** Time that a claim on an Idempotency-Key outlives its request. */
const CLAIM_MARGIN_MS = 10_000;

export const API_CONTROLLERS = [
  OAuthController,
  AuthorizationUrlsController,
  ...CONNECT_CONTROLLERS,
  ConnectLinksController,
  ConnectPageController,
  AccountsController,
  CalendarsController,
  EventsController,
  FreeBusyController,
  SubscriptionsController,
  UsageController,
  WebhookEndpointsController,
  WebhookMessagesController,
  OpenApiController,
  // Providers send neither application keys nor Idempotency-Keys.
  NotificationsController,
];

/** All HTTP routes of applications. `imports` bring the application services and their ports. */
@Module({})
export class ApiModule {
  static forRoot(settings: ApiSettings, imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return {
      module: ApiModule,
      imports,
      controllers: [...API_CONTROLLERS, ...(settings.apiDocs === 'off' ? [] : [DocsController])],
      providers: [
        { provide: PUBLIC_URL, useValue: settings.publicUrl },
        { provide: OPERATOR_URL, useValue: settings.operatorUrl ?? settings.publicUrl },
        { provide: BODY_LIMIT_BYTES, useValue: settings.bodyLimitBytes },
        { provide: CLAIM_MS, useValue: settings.requestTimeoutMs + CLAIM_MARGIN_MS },
        {
          provide: OpenApiDocument,
          useValue: new OpenApiDocument([HealthModule, ApiModule], 'openapi.json', publicFrame, completeDocument),
        },
        { provide: RateLimits, useFactory: () => new RateLimits(settings.rateLimitRps, sharedLimits(settings)) },
        { provide: APP_FILTER, useClass: EnvelopeFilter },
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        { provide: APP_INTERCEPTOR, useClass: WriteInterceptor },
        ReadBodyInterceptor,
        IdempotencyInterceptor,
        IgnoredFieldsInterceptor,
        InvalidNotificationLimiter,
        NotificationReceiver,
        NotificationBodyInterceptor,
        BrowserCookie,
        { provide: APP_PIPE, useClass: RequestValidationPipe },
      ],
    };
  }
}

function sharedLimits({ redisUrl }: ApiSettings): SharedLimits | null {
  return redisUrl === undefined ? null : new SharedLimits(connectForLimits(redisUrl));
}
