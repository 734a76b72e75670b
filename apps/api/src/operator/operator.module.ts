import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { OperatorSessions, OperatorSettings } from '#application';
import type { Config } from '#platform';
import type { ApiSettings } from '../api-settings.js';
import { ReadBodyInterceptor } from '../http/read-body.interceptor.js';
import { OperatorGuard } from './operator.guard.js';
import { OperatorRequestInterceptor } from './operator-request.interceptor.js';
import { SessionController } from './session/session.controller.js';

type Imports = DynamicModule[];

export const OPERATOR_CONTROLLERS = [SessionController];

/** The use cases behind them, besides those that applications have as well. */
const OPERATOR_SERVICES: Provider[] = [OperatorSessions];

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
    return { module: OperatorServicesModule, imports, providers: services, exports: [...services, ...imports] };
  }
}
