import { Module } from '@nestjs/common';
import { AccountsModule, ApplicationRemoval } from '#application';
import { DeliveryServiceModule } from '#webhooks';
import { AccountHealthSweep } from './account-health-sweep.js';
import { ApplicationRemovals } from './application-removals.js';
import { QueueDrain } from './queue-drain.js';
import { RevocationRelay } from './revocation-relay.js';

/** What is done for accounts without anybody asking. The database says what is due; every worker takes its part. */
@Module({
  imports: [AccountsModule, DeliveryServiceModule],
  providers: [AccountHealthSweep, ApplicationRemoval, ApplicationRemovals, RevocationRelay],
})
export class AccountsCareModule {
  constructor(
    drain: QueueDrain,
    sweep: AccountHealthSweep,
    revocations: RevocationRelay,
    applications: ApplicationRemovals,
  ) {
    for (const work of [sweep, revocations, applications]) drain.add(work);
  }
}
