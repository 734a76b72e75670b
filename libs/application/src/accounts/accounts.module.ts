import { Module } from '@nestjs/common';
import { OAuthClientsModule } from '../oauth/oauth-clients.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { AccountAccess } from './account-access.js';
import { AccountChannels } from './account-channels.js';
import { AccountConnector } from './account-connector.js';
import { AccountDeletion, GrantRevocation } from './account-deletion.js';
import { PasswordRejections, AccountExpiry } from './account-expiry.js';
import { AccountRegistration, AccountRegistrations } from './account-registration.js';
import { AccountUsage } from './account-usage.js';
import { CredentialCheck } from './credential-check.js';
import { CredentialsService } from './credentials.service.js';
import { TokenClient, TokenRefresh } from './token-refresh.js';
import { AccountEventPublisher } from './account-event-publisher.js';
import { KeyLossRecovery } from './key-loss-recovery.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { AccountsService } from './accounts.service.js';

const ofExpiry = [AccountEventPublisher, AccountExpiry, KeyLossRecovery];

@Module({ imports: [OAuthClientsModule], providers: ofExpiry, exports: ofExpiry })
export class AccountExpiryModule {}

const services = [
  AccountAccess,
  AccountChannels,
  AccountConnector,
  AccountDeletion,
  AccountRegistration,
  CredentialCheck,
  CredentialsService,
  AccountRegistrations,
  GrantRevocation,
  TokenClient,
  TokenRefresh,
];

@Module({
  imports: [AccountExpiryModule, OAuthClientsModule, UsageModule],
  providers: [AccountUsage, PasswordRejections, ...services],
  exports: [...services, OAuthClientsModule],
})
export class AccountsModule {}

@Module({ imports: [AccountsModule, TokensModule], providers: [AccountsService], exports: [AccountsService] })
export class EndUserAccountsModule {}
