import { Module, type DynamicModule, type ModuleMetadata, type Type } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { StallDetector } from './stall-detector.js';
import { HealthController, ReadinessChecks } from './health.controller.js';
import { ServiceState } from './service-state.js';

@Module({})
export class HealthModule {
  /** @param imports modules for the injections of `checks` */
  static forRoot(
    checks: Type<ReadinessChecks> = ReadinessChecks,
    imports: NonNullable<ModuleMetadata['imports']> = [],
  ): DynamicModule {
    return {
      module: HealthModule,
      global: true,
      imports: [TerminusModule.forRoot({ logger: false }), ...imports],
      controllers: [HealthController],
      providers: [StallDetector, ServiceState, { provide: ReadinessChecks, useClass: checks }],
      exports: [ServiceState],
    };
  }
}
