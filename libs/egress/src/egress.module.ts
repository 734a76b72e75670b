import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Egress } from './contract.js';
import { GuardedEgress } from './guarded-egress.js';

/** Provides the one {@link Egress} of a process and closes its connections at shutdown. */
@Module({})
export class EgressModule implements OnApplicationShutdown {
  constructor(private readonly egress: Egress) {}

  /**
   * @param allow as `GuardedEgressOptions`
   * @param trustedOrigins as `GuardedEgressOptions`; undefined for URLs that are not configured
   * @throws TypeError, EgressError for an invalid entry
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
