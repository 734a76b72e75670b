import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { PUBLIC_URL } from '#application/system';
import type { ApiSettings } from '../api-settings.js';
import { BODY_LIMIT_BYTES, ReadBodyInterceptor } from '../http/read-body.interceptor.js';
import { BrowserCookie } from '../oauth/browser-cookie.js';
import { ApiKeysController } from './applications/api-keys.controller.js';
import { ApplicationsController } from './applications/applications.controller.js';
import { OAuthClientsController } from './applications/oauth-clients.controller.js';
import { RedirectUrlsController } from './applications/redirect-urls.controller.js';
import { SignInTestsController } from './applications/sign-in-tests.controller.js';
import { InvitationsController } from './operators/invitations.controller.js';
import { OperatorsController } from './operators/operators.controller.js';
import { OperatorTokensController } from './tokens/tokens.controller.js';
import { OperatorOpenApiController } from './openapi.controller.js';
import { OpenApiDocument } from '../openapi/openapi-document.js';
import { completeOperatorDocument, operatorFrame } from './complete-operator-document.js';
import { RateLimits } from '../auth/rate-limits.js';
import { OperatorGuard } from './operator.guard.js';
import { OperatorRequestInterceptor } from './operator-request.interceptor.js';
import { OperatorAccountsController } from './accounts/accounts.controller.js';
import { AuditController } from './audit/audit.controller.js';
import {
  DeliveryStatsController,
  OperatorEndpointsController,
  OperatorMessagesController,
} from './deliveries/deliveries.controllers.js';
import { ProvidersController } from './providers/providers.controller.js';
import { FailedJobsController, OverviewController } from './overview/overview.controllers.js';
import { RequestsController } from './requests/requests.controller.js';
import { OwnSessionsController, SessionController, SignInOptionsController } from './session/session.controllers.js';
import { OperatorUsageController } from './usage/usage.controller.js';
import { SsoCookie, SsoController } from './sso/sso.controller.js';

export const OPERATOR_CONTROLLERS = [
  SignInOptionsController,
  SessionController,
  OwnSessionsController,
  SsoController,
  OperatorsController,
  InvitationsController,
  OperatorTokensController,
  AuditController,
  OperatorOpenApiController,
  OperatorAccountsController,
  RequestsController,
  ApplicationsController,
  ApiKeysController,
  OAuthClientsController,
  RedirectUrlsController,
  SignInTestsController,
  OperatorEndpointsController,
  OperatorMessagesController,
  DeliveryStatsController,
  OverviewController,
  FailedJobsController,
  ProvidersController,
  OperatorUsageController,
];

type OperatorApiSettings = Pick<ApiSettings, 'bodyLimitBytes' | 'publicUrl' | 'operatorUrl' | 'rateLimitRps'>;

/** All HTTP routes of operators. `imports` bring the services of {@link OPERATOR_CONTROLLERS}. */
@Module({})
export class OperatorModule {
  static forRoot(
    { bodyLimitBytes, publicUrl, operatorUrl, rateLimitRps }: OperatorApiSettings,
    imports: NonNullable<ModuleMetadata['imports']>,
  ): DynamicModule {
    return {
      module: OperatorModule,
      imports,
      controllers: OPERATOR_CONTROLLERS,
      providers: [
        OperatorGuard,
        OperatorRequestInterceptor,
        SsoCookie,
        // Cookies of this module are those of the dashboard's address.
        { provide: PUBLIC_URL, useValue: operatorUrl ?? publicUrl },
        { provide: BODY_LIMIT_BYTES, useValue: bodyLimitBytes },
        BrowserCookie,
        ReadBodyInterceptor,
        { provide: RateLimits, useFactory: () => new RateLimits(rateLimitRps, null) },
        {
          provide: OpenApiDocument,
          useValue: new OpenApiDocument(
            [OperatorModule],
            'openapi-operator.json',
            operatorFrame,
            completeOperatorDocument,
          ),
        },
      ],
    };
  }
}
