import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AccountReconnect } from './accounts.service.js';
import { AdministrationModule } from './administration.module.js';
import { FailedJobsService } from './overview-sections.js';
import { OverviewService } from './overview.service.js';
import { RequestHistoryService } from './request-history.service.js';
import { UsageModule } from '../usage/usage.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { OperatorAccessModule } from './operator-access.module.js';
import { InvitationAcceptance } from './invitation-acceptance.js';
import { OperatorAuditService } from './operator-audit.service.js';
import { OperatorDevices } from './operator-devices.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { PasswordSignIn } from './password-sign-in.js';
import { OperatorPasswords } from './operator-passwords.js';
import { OperatorSessions } from './operator-sessions.js';
import { SsoRequests, SsoService } from './sso.service.js';
import { SsoIdentities } from './sso-identities.js';

const internals = [OperatorDevices, SignInThrottle, OperatorPasswords, SsoRequests, SsoIdentities];

const services = [
  InvitationAcceptance,
  OperatorAuditService,
  PasswordSignIn,
  OperatorSessions,
  SsoService,
  AccountReconnect,
  RequestHistoryService,
  FailedJobsService,
  OverviewService,
];

@Module({
  imports: [AccountsModule, AdministrationModule, OperatorAccessModule, TokensModule, UsageModule],
  providers: [...internals, ...services],
  exports: [...services, AdministrationModule, OperatorAccessModule, UsageModule],
})
export class AdminModule {}
