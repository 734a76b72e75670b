import { Module, type DynamicModule, type FactoryProvider, type ModuleMetadata } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { EventLoopWatch } from './event-loop-watch.js';
import { HealthController, READINESS_CHECKS, type ReadinessCheck } from './health.controller.js';
import { ServiceState } from './service-state.js';

export interface HealthOptions extends Pick<ModuleMetadata, 'imports'>, Pick<FactoryProvider, 'inject'> {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what `inject` names, in that order
  useFactory: (...injected: any[]) => ReadinessCheck[];
}

/**
 * `/health/live`, `/health/ready`, `/health/startup`, and the {@link ServiceState} they report. What no probe can tell, a
 * process that stood still, is logged.
 */
@Module({})
export class HealthModule {
  static forRoot({ imports = [], inject = [], useFactory }: HealthOptions): DynamicModule {
    return {
      module: HealthModule,
      global: true,
      imports: [TerminusModule.forRoot({ logger: false }), ...imports],
      controllers: [HealthController],
      providers: [EventLoopWatch, ServiceState, { provide: READINESS_CHECKS, inject, useFactory }],
      exports: [ServiceState],
    };
  }
}
