import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccountExpiryModule, KeyLossRecovery } from '#application/accounts';
import { ApiKeysService, ApplicationsModule, ApplicationsService } from '#application/applications';
import { OAuthClientsModule, OAuthClientsService, RedirectUrlsService } from '#application/oauth';
import { OperatorAccessModule, OperatorInvitations, OperatorTokens } from '#application/operator';
import { applicationSettings, type SharedClientSettings } from '#application/system';
import type { ProviderType } from '#domain/accounts';
import { KeyRing, PersistenceModule } from '#persistence';

export interface OperatorConnection {
  databaseUrl: string;
  /** Value of ENCRYPTION_KEYS. */
  encryptionKeys: string;
  /** Default: none. */
  sharedClients?: Readonly<Record<ProviderType, SharedClientSettings>>;
  /** Base URL for links to the dashboard. Default: {@link LOCAL_URL}. */
  publicUrl?: string;
  /** Of the dashboard, where it has an address of its own. */
  operatorUrl?: string | undefined;
}

export interface OperatorServices {
  applications: ApplicationsService;
  apiKeys: ApiKeysService;
  oauthClients: OAuthClientsService;
  redirectUrls: RedirectUrlsService;
  operatorInvitations: OperatorInvitations;
  operatorTokens: OperatorTokens;
  lostKeys: KeyLossRecovery;
}

const LOCAL_URL = 'http://localhost:3000';

@Module({ imports: [AccountExpiryModule, ApplicationsModule, OperatorAccessModule, OAuthClientsModule] })
class OperatorModule {
  static forRoot(connection: OperatorConnection): DynamicModule {
    const { databaseUrl, encryptionKeys, sharedClients = {}, publicUrl = LOCAL_URL, operatorUrl } = connection;
    const settings = applicationSettings({ publicUrl, operatorUrl, providers: sharedClients, requestHistoryDays: 0 });
    return {
      module: OperatorModule,
      // The imported modules inject the settings.
      global: true,
      imports: [PersistenceModule.forRoot({ databaseUrl, keyRing: KeyRing.parse(encryptionKeys) })],
      providers: settings,
      exports: settings,
    };
  }
}

/** Runs `work` with operator services on a connection that closes afterwards. */
export function withOperatorServices<T>(
  connection: OperatorConnection,
  work: (services: OperatorServices) => Promise<T>,
): Promise<T> {
  return inContext(OperatorModule.forRoot(connection), (context) =>
    work({
      applications: context.get(ApplicationsService),
      apiKeys: context.get(ApiKeysService),
      oauthClients: context.get(OAuthClientsService),
      redirectUrls: context.get(RedirectUrlsService),
      operatorInvitations: context.get(OperatorInvitations),
      operatorTokens: context.get(OperatorTokens),
      lostKeys: context.get(KeyLossRecovery),
    }),
  );
}

/** Runs `work` with the providers of a module, which end afterwards. */
export async function inContext<T>(
  module: DynamicModule,
  work: (context: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const context = await NestFactory.createApplicationContext(module, {
    // stdout carries the output of the command; errors are thrown.
    logger: false,
    abortOnError: false,
  });
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}
