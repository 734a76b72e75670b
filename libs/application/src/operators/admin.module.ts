import { Module } from '@nestjs/common';
import { DeliveryServiceModule } from '#webhooks';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AccountReconnect } from '../oversight/accounts-reconnect.js';
import { OverseenAccounts } from '../oversight/accounts.service.js';
import { DeliveryActions } from '../oversight/deliveries-actions.js';
import { DeliveriesService } from '../oversight/deliveries.service.js';
import { FailedJobsService } from '../oversight/overview-failed-jobs.service.js';
import { OverviewService } from '../oversight/overview.service.js';
import { RequestSearch } from '../oversight/requests.service.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { SubscriptionsModule } from '../webhooks/webhooks.modules.js';
import { InvitationsModule } from './invitations.module.js';
import { OperatorAdmission } from './operator-admission.js';
import { OperatorAuditService } from './operator-audit.service.js';
import { OperatorDevices } from './operator-devices.js';
import { OperatorLoginGuard } from './operator-login-guard.js';
import { OperatorLogins } from './operator-logins.js';
import { OperatorPasswords } from './operator-passwords.js';
import { OperatorSessions } from './operator-sessions.js';
import { OperatorsService } from './operators.service.js';
import { SignOnAttempts } from './single-sign-on-attempts.js';
import { SignOnIdentities } from './single-sign-on-identities.js';
import { SingleSignOn } from './single-sign-on.js';

const internals = [OperatorDevices, OperatorLoginGuard, OperatorPasswords, SignOnAttempts, SignOnIdentities];

const services = [
  OperatorAdmission,
  OperatorAuditService,
  OperatorLogins,
  OperatorSessions,
  OperatorsService,
  SingleSignOn,
  AccountReconnect,
  OverseenAccounts,
  RequestSearch,
  DeliveriesService,
  DeliveryActions,
  FailedJobsService,
  OverviewService,
];

@Module({
  imports: [AccountsModule, DeliveryServiceModule, InvitationsModule, SubscriptionsModule, TokensModule],
  providers: [...internals, ...services],
  exports: [...services, InvitationsModule],
})
export class AdminModule {}
