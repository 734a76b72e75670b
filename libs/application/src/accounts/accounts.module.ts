import { Module } from '@nestjs/common';
import { OAuthClientsModule } from '../oauth/oauth-clients.module.js';
import { AccountAccess } from './account-access.js';
import { AccountChannels } from './account-channels.js';
import { AccountCheckup } from './account-checkup.js';
import { AccountConnections } from './account-connections.js';
import { AccountExpiryModule } from './account-expiry.module.js';
import { AccountRegistration } from './account-registration.js';
import { AccountRemoval } from './account-removal.js';
import { AccountUsage } from './account-usage.js';
import { GrantRevocation } from './grant-revocation.js';
import { GrantVerdicts } from './grant-verdicts.js';
import { GrantedAccounts } from './granted-accounts.js';
import { PasswordRefusals } from './password-refusals.js';
import { RefreshBackoff } from './refresh-backoff.js';
import { RefreshLeases } from './refresh-leases.js';
import { RefreshedTokens } from './refreshed-tokens.js';
import { SystemTimer, Timer } from './timer.js';
import { TokenCustody } from './token-custody.js';
import { TokenEndpoint } from './token-endpoint.js';
import { TokenRefresh } from './token-refresh.js';

const internals = [AccountUsage, GrantVerdicts, PasswordRefusals, RefreshBackoff, RefreshLeases, TokenRefresh];

const services = [
  AccountAccess,
  AccountChannels,
  AccountCheckup,
  AccountConnections,
  AccountRegistration,
  AccountRemoval,
  GrantedAccounts,
  GrantRevocation,
  RefreshedTokens,
  TokenCustody,
  TokenEndpoint,
];

/** Accounts, their credentials and their grants, for every process that works with them. The ports are global. */
@Module({
  imports: [AccountExpiryModule, OAuthClientsModule],
  providers: [...internals, ...services, { provide: Timer, useClass: SystemTimer }],
  exports: [...services, Timer, OAuthClientsModule],
})
export class AccountsModule {}
