import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Egress } from './contract.js';
import { GuardedEgress } from './guarded-egress.js';

@Module({})
export class EgressModule implements OnApplicationShutdown {
  constructor(private readonly egress: Egress) {}

  /** @throws TypeError, EgressError for an invalid entry */
  static forRoot(allow: string, trustedOrigins: readonly (string | undefined)[]): DynamicModule {
    const options = { allow, trustedOrigins: trustedOrigins.filter((origin) => origin !== undefined) };
    return {
      module: EgressModule,
      global: true,
      providers: [{ provide: Egress, useFactory: () => new GuardedEgress(options) }],
      exports: [Egress],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }
}
