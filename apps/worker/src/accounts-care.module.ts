import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { AccountsModule, ApplicationRemoval } from '#application';
import { tokenRevocation } from '#jobs';
import { DeliveryServiceModule } from '#webhooks';
import { AccountHealthSweep } from './account-health-sweep.js';
import { ApplicationRemovals } from './application-removals.js';
import { QueueDrain } from './queue-drain.js';
import { ReconcileProcessor } from './scheduled.processors.js';
import { TokenRevocationProcessor } from './token-revocation.processor.js';

@Module({
  imports: [AccountsModule, DeliveryServiceModule, BullModule.registerQueue({ name: tokenRevocation.queue })],
  providers: [
    AccountHealthSweep,
    ApplicationRemoval,
    ApplicationRemovals,
    ReconcileProcessor,
    TokenRevocationProcessor,
  ],
})
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
}
