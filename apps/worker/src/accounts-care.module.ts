import { Module, type DynamicModule } from '@nestjs/common';
import { AccountAccess, ApplicationRemoval, CredentialCheck } from '#application';
import { AccountHealthRepository, CalendarProviders, Clock } from '#domain';
import { Egress } from '#egress';
import type { Config } from '#platform';
import { DeliveryService, deliveryService } from '#webhooks';
import { AccountHealthSweep } from './account-health-sweep.js';
import { ApplicationRemovals } from './application-removals.js';
import { QueueDrain } from './queue-drain.js';
import { RevocationRelay } from './revocation-relay.js';

/** What is done for accounts without anybody asking. The database says what is due; every worker takes its part. */
@Module({})
export class AccountsCareModule {
  constructor(
    drain: QueueDrain,
    sweep: AccountHealthSweep,
    revocations: RevocationRelay,
    applications: ApplicationRemovals,
  ) {
    for (const work of [sweep, revocations, applications]) drain.add(work);
  }

  /** @param accounts `AccountsModule`, the very one that the process has */
  static forRoot(accounts: DynamicModule, config: Config): DynamicModule {
    return {
      module: AccountsCareModule,
      imports: [accounts],
      providers: [
        RevocationRelay,
        ApplicationRemoval,
        ApplicationRemovals,
        {
          provide: DeliveryService,
          inject: [Egress, Clock],
          useFactory: (egress: Egress, clock: Clock) => deliveryService(config, { egress, nowMs: () => clock.nowMs() }),
        },
        {
          provide: AccountHealthSweep,
          inject: [AccountHealthRepository, AccountAccess, CredentialCheck, CalendarProviders],
          useFactory: (
            health: AccountHealthRepository,
            access: AccountAccess,
            check: CredentialCheck,
            providers: CalendarProviders,
          ) => new AccountHealthSweep(health, access, check, providers, config.expiryProbeInterval * 1_000),
        },
      ],
    };
  }
}
