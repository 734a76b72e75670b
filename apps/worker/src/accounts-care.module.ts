import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { AccountsModule, ApplicationRemoval } from '#application';
import { accountCheck, channelRenewal, tokenRevocation } from '#jobs';
import { DeliveryServiceModule } from '#webhooks';
import { AccountCheckProcessor } from './account-check.processor.js';
import { AccountChecks } from './account-checks.js';
import { ApplicationRemovals } from './application-removals.js';
import { ChannelRenewalProcessor } from './channel-renewal.processor.js';
import { QueueDrain } from './queue-drain.js';
import { ReconcileProcessor } from './scheduled.processors.js';
import { TokenRevocationProcessor } from './token-revocation.processor.js';

@Module({
  imports: [
    AccountsModule,
    DeliveryServiceModule,
    BullModule.registerQueue(...[accountCheck, channelRenewal, tokenRevocation].map(({ queue }) => ({ name: queue }))),
  ],
  providers: [
    AccountCheckProcessor,
    AccountChecks,
    ApplicationRemoval,
    ApplicationRemovals,
    ChannelRenewalProcessor,
    ReconcileProcessor,
    TokenRevocationProcessor,
  ],
})
export class AccountsCareModule {
  constructor(
    drain: QueueDrain,
    reconciler: ReconcileProcessor,
    checks: AccountCheckProcessor,
    renewals: ChannelRenewalProcessor,
    revocations: TokenRevocationProcessor,
    applications: ApplicationRemovals,
  ) {
    for (const work of [reconciler, checks, renewals, revocations, applications]) drain.add(work);
  }
}
