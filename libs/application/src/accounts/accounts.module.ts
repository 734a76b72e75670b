import { Module, type DynamicModule } from '@nestjs/common';
import { CredentialRepository, SharedOAuthClients, type ProviderType } from '#domain';
import { ConfiguredOAuthClients, type SharedClientSettings } from '../oauth/shared-oauth-clients.js';
import { AccountAccess } from './account-access.js';
import { AccountChannels } from './account-channels.js';
import { AccountCheckup } from './account-checkup.js';
import { AccountConnections } from './account-connections.js';
import { AccountEvents } from './account-events.js';
import { AccountExpiry } from './account-expiry.js';
import { AccountRegistration } from './account-registration.js';
import { AccountRemoval } from './account-removal.js';
import { AccountUsage } from './account-usage.js';
import { GrantRevocation } from './grant-revocation.js';
import { GrantVerdicts } from './grant-verdicts.js';
import { GrantedAccounts } from './granted-accounts.js';
import { MassExpiryBreaker } from './mass-expiry-breaker.js';
import { OAuthClients } from './oauth-clients.js';
import { PasswordRefusals } from './password-refusals.js';
import { RefreshBackoff } from './refresh-backoff.js';
import { RefreshLeases } from './refresh-leases.js';
import { RefreshedTokens } from './refreshed-tokens.js';
import { SystemTimer, Timer } from './timer.js';
import { TokenCustody } from './token-custody.js';
import { TokenEndpoint } from './token-endpoint.js';
import { TokenRefresh } from './token-refresh.js';

/** How long a refresh may take before another process takes it over, milliseconds. */
const REFRESH_LEASE_MS = 20_000;

const internals = [
  AccountEvents,
  AccountExpiry,
  AccountUsage,
  GrantVerdicts,
  PasswordRefusals,
  RefreshBackoff,
  TokenRefresh,
];

const services = [
  AccountAccess,
  AccountChannels,
  AccountCheckup,
  AccountConnections,
  AccountRegistration,
  AccountRemoval,
  GrantedAccounts,
  GrantRevocation,
  MassExpiryBreaker,
  OAuthClients,
  RefreshedTokens,
  TokenCustody,
  TokenEndpoint,
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
        {
          provide: RefreshLeases,
          inject: [CredentialRepository, Timer],
          useFactory: (credentials: CredentialRepository, timer: Timer) =>
            new RefreshLeases(credentials, timer, REFRESH_LEASE_MS),
        },
      ],
      exports: [...services, SharedOAuthClients, Timer],
    };
  }
}
