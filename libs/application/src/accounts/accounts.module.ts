import { Module } from '@nestjs/common';
import { OAuthClientsModule } from '../oauth/oauth-clients.module.js';
import { AccountAccess } from './account-access.js';
import { AccountChannels } from './account-channels.js';
import { AccountConnections } from './account-connections.js';
import { AccountDeletion, GrantRevocation } from './account-deletion.js';
import { PasswordRejections, AccountExpiry } from './account-expiry.js';
import { AccountRegistration, GrantedAccounts } from './account-registration.js';
import { AccountUsage } from './account-usage.js';
import { CredentialCheck } from './credential-check.js';
import { CredentialsService } from './credentials.service.js';
import { SystemTimer, Timer } from './timer.js';
import { TokenClient, TokenRefresh } from './token-refresh.js';
import { AccountEvents } from './account-events.js';
import { LostKeys } from './lost-keys.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { AccountsService } from './accounts.service.js';

const ofExpiry = [AccountEvents, AccountExpiry, LostKeys];

@Module({ imports: [OAuthClientsModule], providers: ofExpiry, exports: ofExpiry })
export class AccountExpiryModule {}

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

@Module({
  imports: [AccountExpiryModule, OAuthClientsModule],
  providers: [AccountUsage, PasswordRejections, ...services, { provide: Timer, useClass: SystemTimer }],
  exports: [...services, Timer, OAuthClientsModule],
})
export class AccountsModule {}

@Module({ imports: [AccountsModule, TokensModule], providers: [AccountsService], exports: [AccountsService] })
export class EndUserAccountsModule {}
