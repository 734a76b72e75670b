import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import {
  AccountReconnect,
  DeliveriesService,
  DeliveryActions,
  FailedJobsService,
  OperatorSessions,
  OperatorSettings,
  OverseenAccounts,
  OverviewService,
  RequestSearch,
} from '#application';
import { Clock, DeliveryOversight, OverviewFigures, QueueBoard } from '#domain';
import { QueueBoardModule } from '#jobs';
import type { Config } from '#platform';
import type { ApiSettings } from '../api-settings.js';
import { ReadBodyInterceptor } from '../http/read-body.interceptor.js';
import { OperatorGuard } from './operator.guard.js';
import { OperatorRequestInterceptor } from './operator-request.interceptor.js';
import { OverseenAccountsController } from './accounts/accounts.controller.js';
import { DeliveryFiguresController } from './deliveries/delivery-figures.controller.js';
import { OverseenEndpointsController } from './deliveries/endpoints.controller.js';
import { OverseenMessagesController } from './deliveries/messages.controller.js';
import { FailedJobsController } from './overview/failed-jobs.controller.js';
import { OverviewController } from './overview/overview.controller.js';
import { RequestsController } from './requests/requests.controller.js';
import { SessionController } from './session/session.controller.js';

type Imports = DynamicModule[];

export const OPERATOR_CONTROLLERS = [
  SessionController,
  OverseenAccountsController,
  RequestsController,
  OverseenEndpointsController,
  OverseenMessagesController,
  DeliveryFiguresController,
  OverviewController,
  FailedJobsController,
];

/** The use cases behind them, besides those that applications have as well. */
const OPERATOR_SERVICES: Provider[] = [
  OperatorSessions,
  AccountReconnect,
  OverseenAccounts,
  RequestSearch,
  DeliveriesService,
  DeliveryActions,
  FailedJobsService,
  {
    provide: OverviewService,
    inject: [OverviewFigures, DeliveryOversight, QueueBoard, Clock],
    useFactory: (figures: OverviewFigures, oversight: DeliveryOversight, board: QueueBoard, clock: Clock) =>
      new OverviewService(figures, oversight, board, clock),
  },
];

/** Everything of operators that speaks HTTP. `imports` bring the services of {@link OPERATOR_CONTROLLERS}. */
@Module({})
export class OperatorModule {
  static forRoot({ bodyLimit }: Pick<ApiSettings, 'bodyLimit'>, imports: Imports): DynamicModule {
    return {
      module: OperatorModule,
      imports,
      controllers: OPERATOR_CONTROLLERS,
      providers: [
        OperatorGuard,
        OperatorRequestInterceptor,
        { provide: ReadBodyInterceptor, useFactory: () => new ReadBodyInterceptor(bodyLimit) },
      ],
    };
  }
}

const MINUTE_MS = 60_000;

/** The use cases of operators. Their ports come from global modules, the services of applications by `imports`. */
@Module({})
export class OperatorServicesModule {
  static forRoot(config: Config, imports: Imports): DynamicModule {
    const settings: OperatorSettings = {
      publicUrl: config.publicUrl,
      sessionIdleMs: config.operatorSessionIdleMinutes * MINUTE_MS,
      sessionMs: config.operatorSessionHours * 60 * MINUTE_MS,
    };
    const services = [...OPERATOR_SERVICES, { provide: OperatorSettings, useValue: settings }];
    const { databaseUrl, redisUrl = null } = config;
    return {
      module: OperatorServicesModule,
      imports: [...imports, QueueBoardModule.forRoot({ databaseUrl, redisUrl })],
      providers: services,
      exports: [...services, ...imports],
    };
  }
}
