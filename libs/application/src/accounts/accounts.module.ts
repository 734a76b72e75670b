import { Module } from '@nestjs/common';
import { OAuthClientsModule } from '../oauth/oauth-clients.module.js';
import { AccountAccess } from './account-access.js';
import { AccountChannels } from './account-channels.js';
import { AccountConnections } from './account-connections.js';
import { AccountDeletion, GrantRevocation } from './account-deletion.js';
import { PasswordRejections } from './account-expiry.js';
import { AccountExpiryModule } from './account-expiry.module.js';
import { AccountRegistration, GrantedAccounts } from './account-registration.js';
import { AccountUsage } from './account-usage.js';
import { CredentialCheck } from './credential-check.js';
import { CredentialsService } from './credentials.service.js';
import { SystemTimer, Timer } from './timer.js';
import { TokenClient } from './token-client.js';
import { TokenRefresh } from './token-refresh.js';

const services = [
  AccountAccess,
  AccountChannels,
  AccountConnections,
  AccountDeletion,
  AccountRegistration,
  CredentialCheck,
  CredentialsService,
  GrantedAccounts,
  GrantRevocation,
  TokenClient,
  TokenRefresh,
];

/** Accounts, their credentials and their grants, for every process that works with them. The ports are global. */
@Module({
  imports: [AccountExpiryModule, OAuthClientsModule],
  providers: [AccountUsage, PasswordRejections, ...services, { provide: Timer, useClass: SystemTimer }],
  exports: [...services, Timer, OAuthClientsModule],
})
export class AccountsModule {}
