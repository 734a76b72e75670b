import { Module, type DynamicModule } from '@nestjs/common';
import { AccountAccess, AccountCheckup } from '#application';
import { AccountHealthRepository, CalendarProviders } from '#domain';
import type { Config } from '#platform';
import { AccountHealthSweep } from './account-health-sweep.js';
import { QueueDrain } from './queue-drain.js';
import { RevocationRelay } from './revocation-relay.js';

/** What is done for accounts without anybody asking. The database says what is due; every worker takes its part. */
@Module({})
export class AccountsCareModule {
  constructor(drain: QueueDrain, sweep: AccountHealthSweep, revocations: RevocationRelay) {
    for (const work of [sweep, revocations]) drain.add(work);
  }

  /** @param accounts `AccountsModule`, the very one that the process has */
  static forRoot(accounts: DynamicModule, config: Pick<Config, 'expiryProbeInterval'>): DynamicModule {
    return {
      module: AccountsCareModule,
      imports: [accounts],
      providers: [
        RevocationRelay,
        {
          provide: AccountHealthSweep,
          inject: [AccountHealthRepository, AccountAccess, AccountCheckup, CalendarProviders],
          useFactory: (
            health: AccountHealthRepository,
            access: AccountAccess,
            checkup: AccountCheckup,
            providers: CalendarProviders,
          ) => new AccountHealthSweep(health, access, checkup, providers, config.expiryProbeInterval * 1_000),
        },
      ],
    };
  }
}
