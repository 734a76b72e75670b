import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import {
  AccountReconnect,
  DashboardAddress,
  DeliveriesService,
  DeliveryActions,
  FailedJobsService,
  OperatorAuditService,
  OperatorAdmission,
  OperatorDeviceKeys,
  OperatorDevices,
  OperatorInvitations,
  OperatorLoginGuard,
  OperatorLogins,
  OperatorPasswords,
  OperatorSessions,
  OperatorSettings,
  OperatorsService,
  OverseenAccounts,
  OverviewService,
  RequestSearch,
  SignOnAttempts,
  SignOnIdentities,
  SingleSignOn,
} from '#application';
import {
  CalendarProviders,
  Clock,
  DeliveryOversight,
  OperatorIdentityProvider,
  OverviewFigures,
  QueueBoard,
} from '#domain';
import { Egress } from '#egress';
import { QueueBoardModule } from '#jobs';
import { KeyRing } from '#persistence';
import type { Config } from '#platform';
import type { ApiSettings } from '../api-settings.js';
import { ReadBodyInterceptor } from '../http/read-body.interceptor.js';
import { BrowserCookie } from '../oauth/browser-cookie.js';
import { ApiKeysController } from './applications/api-keys.controller.js';
import { ApplicationsController } from './applications/applications.controller.js';
import { OAuthClientsController } from './applications/oauth-clients.controller.js';
import { RedirectUrlsController } from './applications/redirect-urls.controller.js';
import { SignInTestsController } from './applications/sign-in-tests.controller.js';
import { InvitationsController } from './operators/invitations.controller.js';
import { OperatorsController } from './operators/operators.controller.js';
import { OperatorOpenApiController } from './openapi.controller.js';
import { operatorFrame } from './operator-document.js';
import { SetupLink } from './setup-link.js';
import { OpenApiDocument } from '../openapi/openapi-document.js';
import { completeOperatorDocument } from './complete-operator-document.js';
import { RateLimits } from '../auth/rate-limits.js';
import { OperatorGuard } from './operator.guard.js';
import { OperatorRequestInterceptor } from './operator-request.interceptor.js';
import { OverseenAccountsController } from './accounts/accounts.controller.js';
import { AuditController } from './audit/audit.controller.js';
import { DeliveryFiguresController } from './deliveries/delivery-figures.controller.js';
import { OverseenEndpointsController } from './deliveries/endpoints.controller.js';
import { OverseenMessagesController } from './deliveries/messages.controller.js';
import { ProvidersController } from './providers/providers.controller.js';
import { FailedJobsController } from './overview/failed-jobs.controller.js';
import { OverviewController } from './overview/overview.controller.js';
import { RequestsController } from './requests/requests.controller.js';
import { OwnSessionsController } from './session/own-sessions.controller.js';
import { SessionController } from './session/session.controller.js';
import { WelcomeController } from './session/welcome.controller.js';
import { OpenIdIdentityProvider } from './sso/openid-identity-provider.js';
import { SignOnCookie } from './sso/sign-on-cookie.js';
import { SignOnController } from './sso/sign-on.controller.js';

type Imports = DynamicModule[];

export const OPERATOR_CONTROLLERS = [
  WelcomeController,
  SessionController,
  OwnSessionsController,
  SignOnController,
  OperatorsController,
  InvitationsController,
  AuditController,
  OperatorOpenApiController,
  OverseenAccountsController,
  RequestsController,
  ApplicationsController,
  ApiKeysController,
  OAuthClientsController,
  RedirectUrlsController,
  SignInTestsController,
  OverseenEndpointsController,
  OverseenMessagesController,
  DeliveryFiguresController,
  OverviewController,
  FailedJobsController,
  ProvidersController,
];

/** The use cases behind them, besides those that applications have as well. */
const OPERATOR_SERVICES: Provider[] = [
  OperatorAuditService,
  OperatorAdmission,
  OperatorDevices,
  OperatorInvitations,
  OperatorLoginGuard,
  OperatorLogins,
  OperatorPasswords,
  OperatorSessions,
  OperatorsService,
  SignOnAttempts,
  SignOnIdentities,
  SingleSignOn,
  AccountReconnect,
  OverseenAccounts,
  RequestSearch,
  DeliveriesService,
  DeliveryActions,
  FailedJobsService,
  {
    provide: OverviewService,
    inject: [OverviewFigures, DeliveryOversight, QueueBoard, Clock, CalendarProviders],
    useFactory: (
      figures: OverviewFigures,
      oversight: DeliveryOversight,
      board: QueueBoard,
      clock: Clock,
      providers: CalendarProviders,
    ) => new OverviewService(figures, oversight, board, clock, providers),
  },
];

/** Everything of operators that speaks HTTP. `imports` bring the services of {@link OPERATOR_CONTROLLERS}. */
@Module({})
export class OperatorModule {
  static forRoot(
    { bodyLimit, publicUrl, rateLimitRps }: Pick<ApiSettings, 'bodyLimit' | 'publicUrl' | 'rateLimitRps'>,
    imports: Imports,
  ): DynamicModule {
    return {
      module: OperatorModule,
      imports,
      controllers: OPERATOR_CONTROLLERS,
      providers: [
        OperatorGuard,
        OperatorRequestInterceptor,
        SignOnCookie,
        { provide: BrowserCookie, useFactory: () => new BrowserCookie(publicUrl) },
        { provide: RateLimits, useFactory: () => new RateLimits(rateLimitRps, null) },
        {
          provide: OpenApiDocument,
          useFactory: () =>
            new OpenApiDocument([OperatorModule], 'openapi-operator.json', operatorFrame, completeOperatorDocument),
        },
        { provide: ReadBodyInterceptor, useFactory: () => new ReadBodyInterceptor(bodyLimit) },
      ],
    };
  }
}

const MINUTE_MS = 60_000;

/** What devices are signed for; changing it makes strangers of all of them. */
const DEVICES = 'operator-devices';

/** The use cases of operators. Their ports come from global modules, the services of applications by `imports`. */
@Module({})
export class OperatorServicesModule {
  static forRoot(config: Config, imports: Imports): DynamicModule {
    const settings: OperatorSettings = {
      publicUrl: config.publicUrl,
      sessionIdleMs: config.operatorSessionIdleMinutes * MINUTE_MS,
      sessionMs: config.operatorSessionHours * 60 * MINUTE_MS,
      hasPasswords: config.operatorPasswords === 'on',
    };
    const services = [
      ...OPERATOR_SERVICES,
      ...identityProvider(config),
      { provide: OperatorSettings, useValue: settings },
      { provide: DashboardAddress, useExisting: OperatorSettings },
      {
        provide: OperatorDeviceKeys,
        inject: [KeyRing],
        useFactory: (ring: KeyRing): OperatorDeviceKeys => ({
          current: () => ({ kid: ring.current().kid, key: ring.current().deriveKey(DEVICES) }),
          byId: (kid) => ring.byId(kid)?.deriveKey(DEVICES) ?? null,
        }),
      },
    ];
    const { databaseUrl, redisUrl = null } = config;
    return {
      module: OperatorServicesModule,
      imports: [...imports, QueueBoardModule.forRoot({ databaseUrl, redisUrl })],
      providers: [
        ...services,
        {
          provide: SetupLink,
          inject: [OperatorInvitations, OperatorsService, OperatorSettings],
          useFactory: (invitations: OperatorInvitations, operators: OperatorsService, settings: OperatorSettings) =>
            new SetupLink(invitations, operators, settings, config.nodeEnv === 'production'),
        },
      ],
      exports: [...services, ...imports],
    };
  }
}

/** Empty when operators sign in with passwords alone. The configuration has all of an identity provider, or none. */
function identityProvider(config: Config): Provider[] {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcLabel: label } = config;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return [];
  return [
    {
      provide: OperatorIdentityProvider,
      inject: [Egress, Clock],
      useFactory: (egress: Egress, clock: Clock) =>
        new OpenIdIdentityProvider({ issuer, clientId, clientSecret, label }, { egress, nowMs: () => clock.nowMs() }),
    },
  ];
}
