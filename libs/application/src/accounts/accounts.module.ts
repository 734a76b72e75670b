import { Module, type DynamicModule } from '@nestjs/common';
import { SharedOAuthClients, type ProviderType } from '#domain';
import { ConfiguredOAuthClients, type SharedClientSettings } from '../oauth/shared-oauth-clients.js';
import { AccountAccess } from './account-access.js';
import { AccountChannels } from './account-channels.js';
import { AccountConnections } from './account-connections.js';
import { AccountDeletion, GrantRevocation } from './account-deletion.js';
import { AccountEvents } from './account-events.js';
import { AccountExpiry, PasswordRejections } from './account-expiry.js';
import { AccountRegistration, GrantedAccounts } from './account-registration.js';
import { AccountUsage } from './account-usage.js';
import { CredentialCheck } from './credential-check.js';
import { CredentialsService } from './credentials.service.js';
import { MassExpiryBreaker } from './mass-expiry-breaker.js';
import { SystemTimer, Timer } from './timer.js';
import { OAuthClients, TokenClient } from './token-client.js';
import { TokenRefresh } from './token-refresh.js';

const internals = [AccountEvents, AccountExpiry, AccountUsage, PasswordRejections];

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
  MassExpiryBreaker,
  OAuthClients,
  TokenClient,
  TokenRefresh,
];

/** Accounts, their credentials and their grants, for every process that works with them. The ports are global. */
@Module({})
export class AccountsModule {
  /** @param clients what the configuration says of the OAuth clients that the installation shares */
  static forRoot(clients: Readonly<Record<ProviderType, SharedClientSettings>>): DynamicModule {
    return {
      module: AccountsModule,
      providers: [
        ...internals,
        ...services,
        { provide: Timer, useClass: SystemTimer },
        { provide: SharedOAuthClients, useFactory: () => new ConfiguredOAuthClients(clients) },
      ],
      exports: [...services, SharedOAuthClients, Timer],
    };
  }
}
