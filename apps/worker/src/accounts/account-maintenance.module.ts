import { BullModule } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import { AccountsModule } from '#application/accounts';
import { ApplicationDeletion } from '#application/applications';
import { tokenRevocation } from '#jobs';
import { ExternalDeliveryModule } from '#webhooks';
import { CredentialCheckTask } from './credential-check.task.js';
import { ApplicationDeletionTask } from './application-deletion.task.js';
import { GracefulShutdown } from '../graceful-shutdown.js';
import { ReconcileProcessor } from '../scheduled.processors.js';
import { TokenRevocationProcessor } from './token-revocation.processor.js';

@Module({
  imports: [AccountsModule, ExternalDeliveryModule, BullModule.registerQueue({ name: tokenRevocation.queue })],
  providers: [
    CredentialCheckTask,
    ApplicationDeletion,
    ApplicationDeletionTask,
    ReconcileProcessor,
    TokenRevocationProcessor,
  ],
})
export class AccountMaintenanceModule {
  constructor(
    drain: GracefulShutdown,
    checkDue: CredentialCheckTask,
    reconciler: ReconcileProcessor,
    revocations: TokenRevocationProcessor,
    applications: ApplicationDeletionTask,
  ) {
    for (const work of [checkDue, reconciler, revocations, applications]) drain.add(work);
  }
}
