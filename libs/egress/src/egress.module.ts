import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Egress } from './contract.js';
import { GuardedEgress } from './guarded-egress.js';

/** Provides a process with its one {@link Egress}; closes its connections when the process ends. */
@Module({})
export class EgressModule implements OnApplicationShutdown {
  constructor(private readonly egress: Egress) {}

  /**
   * @param allow as `GuardedEgressOptions`
   * @param trustedOrigins as `GuardedEgressOptions`; undefined for an address that is not configured
   * @throws TypeError, EgressError for an entry that cannot be read
   */
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
