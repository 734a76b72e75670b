import { BullModule } from '@nestjs/bullmq';
import { Module, type DynamicModule } from '@nestjs/common';
import { AccountAccess, AccountCheckup, ApplicationRemoval } from '#application';
import { AccountHealthRepository, CalendarProviders, Clock } from '#domain';
import { Egress } from '#egress';
import { tokenRevocation } from '#jobs';
import type { Config } from '#platform';
import { DeliveryService, deliveryService } from '#webhooks';
import { AccountHealthSweep } from './account-health-sweep.js';
import { ApplicationRemovals } from './application-removals.js';
import { QueueDrain } from './queue-drain.js';
import { ReconcileProcessor } from './reconcile.processor.js';
import { TokenRevocationProcessor } from './token-revocation.processor.js';

/** What is done for accounts without anybody asking. The database says what is due; every worker takes its part. */
@Module({})
export class AccountsCareModule {
  constructor(
    drain: QueueDrain,
    sweep: AccountHealthSweep,
    reconciler: ReconcileProcessor,
    revocations: TokenRevocationProcessor,
    applications: ApplicationRemovals,
  ) {
    for (const work of [sweep, reconciler, revocations, applications]) drain.add(work);
  }

  /** @param accounts `AccountsModule`, the very one that the process has */
  static forRoot(accounts: DynamicModule, config: Config): DynamicModule {
    return {
      module: AccountsCareModule,
      imports: [accounts, BullModule.registerQueue({ name: tokenRevocation.queue })],
      providers: [
        ReconcileProcessor,
        TokenRevocationProcessor,
        ApplicationRemoval,
        ApplicationRemovals,
        {
          provide: DeliveryService,
          inject: [Egress, Clock],
          useFactory: (egress: Egress, clock: Clock) => deliveryService(config, { egress, nowMs: () => clock.nowMs() }),
        },
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
