import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  AccountEvents,
  AccountExpiry,
  ApiKeysService,
  ApplicationsService,
  ConfiguredOAuthClients,
  DashboardAddress,
  LostKeys,
  MassExpiryBreaker,
  OAuthClients,
  OAuthClientsService,
  OperatorInvitations,
  RedirectUrlsService,
  type SharedClientSettings,
} from '#application';
import { SharedOAuthClients, type ProviderType } from '#domain';
import { KeyRing, PersistenceModule } from '#persistence';

export interface OperatorConnection {
  databaseUrl: string;
  /** Text of ENCRYPTION_KEYS. */
  encryptionKeys: string;
  /** The OAuth clients that the installation shares. Default: none. */
  sharedClients?: Readonly<Record<ProviderType, SharedClientSettings>>;
  /** Where the dashboard is, for links to it. Default: at this machine. */
  publicUrl?: string;
}

export interface OperatorServices {
  applications: ApplicationsService;
  apiKeys: ApiKeysService;
  oauthClients: OAuthClientsService;
  redirectUrls: RedirectUrlsService;
  operatorInvitations: OperatorInvitations;
  lostKeys: LostKeys;
}

/** Of an installation that says nothing about it. */
const LOCAL_URL = 'http://localhost:3000';

@Module({})
class OperatorModule {
  static forRoot({ databaseUrl, encryptionKeys, sharedClients, publicUrl }: OperatorConnection): DynamicModule {
    return {
      module: OperatorModule,
      imports: [PersistenceModule.forRoot({ databaseUrl, keyRing: KeyRing.parse(encryptionKeys) })],
      providers: [
        ...[ApplicationsService, ApiKeysService, OAuthClientsService, RedirectUrlsService],
        ...[OAuthClients, MassExpiryBreaker],
        ...[LostKeys, AccountExpiry, AccountEvents],
        OperatorInvitations,
        { provide: DashboardAddress, useValue: { publicUrl: publicUrl ?? LOCAL_URL } satisfies DashboardAddress },
        { provide: SharedOAuthClients, useFactory: () => new ConfiguredOAuthClients(sharedClients ?? {}) },
      ],
    };
  }
}

/** Runs `work` with the services that only an operator may use, connected for as long as it takes. */
export async function withOperatorServices<T>(
  connection: OperatorConnection,
  work: (services: OperatorServices) => Promise<T>,
): Promise<T> {
  const context = await NestFactory.createApplicationContext(OperatorModule.forRoot(connection), {
    // stdout is for answers, and what fails is thrown.
    logger: false,
    abortOnError: false,
  });
  try {
    return await work({
      applications: context.get(ApplicationsService),
      apiKeys: context.get(ApiKeysService),
      oauthClients: context.get(OAuthClientsService),
      redirectUrls: context.get(RedirectUrlsService),
      operatorInvitations: context.get(OperatorInvitations),
      lostKeys: context.get(LostKeys),
    });
  } finally {
    await context.close();
  }
}
