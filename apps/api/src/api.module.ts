import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { IdempotencyRepository } from '#domain';
import { HealthModule } from '#platform';
import { AccountsController } from './accounts/accounts.controller.js';
import { CONNECT_CONTROLLERS } from './accounts/basic-auth.controller.js';
import type { ApiSettings } from './api-settings.js';
import { ApiKeyGuard } from './auth/api-key.guard.js';
import { RateLimits } from './auth/rate-limits.js';
import { RouteAccess } from './auth/route-access.js';
import { connectForLimits, SharedLimits } from './auth/shared-limits.js';
import { CalendarsController } from './calendars/calendars.controller.js';
import { EnvelopeFilter } from './errors/envelope.filter.js';
import { EventsController } from './events/events.controller.js';
import { FreeBusyController } from './free-busy/free-busy.controller.js';
import { IgnoredFieldsInterceptor } from './http/ignored-fields.interceptor.js';
import { ReadBodyInterceptor } from './http/read-body.interceptor.js';
import { interceptWrites } from './http/write.interceptor.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { BrowserCookie } from './oauth/browser-cookie.js';
import { AuthorizationUrlsController } from './oauth/authorization-urls.controller.js';
import { OAuthController } from './oauth/oauth.controller.js';
import { completeDocument } from './openapi/complete-document.js';
import { DOCS_ADDRESS, DocsController, OpenApiController } from './openapi/docs.controller.js';
import { OpenApiDocument } from './openapi/openapi-document.js';
import { publicFrame } from './openapi/public-frame.js';
import { Forgers } from './provider-notifications/forgers.js';
import {
  NotificationBodyInterceptor,
  NotificationsController,
} from './provider-notifications/notifications.controller.js';
import { PushesIntake } from './provider-notifications/pushes-intake.js';
import { SubscriptionsController } from './subscriptions/subscriptions.controller.js';
import { RequestValidationPipe } from './validation/request-validation.pipe.js';
import { WebhookEndpointsController } from './webhook-endpoints/webhook-endpoints.controller.js';
import { WebhookMessagesController } from './webhook-endpoints/webhook-messages.controller.js';

/** How much longer than a request a claim on an Idempotency-Key holds. */
const CLAIM_MARGIN_MS = 10_000;

const CONTROLLERS = interceptWrites([
  OAuthController,
  AuthorizationUrlsController,
  ...CONNECT_CONTROLLERS,
  AccountsController,
  CalendarsController,
  EventsController,
  FreeBusyController,
  SubscriptionsController,
  WebhookEndpointsController,
  WebhookMessagesController,
  OpenApiController,
]);

/** Everything that speaks HTTP. `imports` bring the application services and the ports that it needs. */
@Module({})
export class ApiModule {
  static forRoot(settings: ApiSettings, imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return {
      module: ApiModule,
      imports,
      controllers: [
        ...CONTROLLERS,
        // Providers know neither our keys nor our keys for repeating a request.
        NotificationsController,
        ...(settings.apiDocs === 'off' ? [] : [DocsController]),
      ],
      providers: [
        RouteAccess,
        { provide: DOCS_ADDRESS, useValue: settings.publicUrl },
        {
          provide: OpenApiDocument,
          useFactory: () =>
            new OpenApiDocument([HealthModule, ApiModule], 'openapi.json', publicFrame, completeDocument),
        },
        { provide: RateLimits, useFactory: () => new RateLimits(settings.rateLimitRps, sharedLimits(settings)) },
        { provide: APP_FILTER, useClass: EnvelopeFilter },
        { provide: APP_GUARD, useClass: ApiKeyGuard },
        { provide: ReadBodyInterceptor, useFactory: () => new ReadBodyInterceptor(settings.bodyLimit) },
        {
          provide: IdempotencyInterceptor,
          inject: [IdempotencyRepository],
          useFactory: (records: IdempotencyRepository) =>
            new IdempotencyInterceptor(records, settings.requestTimeoutMs + CLAIM_MARGIN_MS),
        },
        IgnoredFieldsInterceptor,
        Forgers,
        PushesIntake,
        NotificationBodyInterceptor,
        { provide: BrowserCookie, useFactory: () => new BrowserCookie(settings.publicUrl) },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
      ],
    };
  }
}

function sharedLimits({ redisUrl }: ApiSettings): SharedLimits | null {
  return redisUrl === undefined ? null : new SharedLimits(connectForLimits(redisUrl));
}
