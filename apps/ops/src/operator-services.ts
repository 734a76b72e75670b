import { Global, Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  AccountExpiryModule,
  ApiKeysService,
  applicationSettings,
  ApplicationsModule,
  ApplicationsService,
  InvitationsModule,
  LostKeys,
  OAuthClientsModule,
  OAuthClientsService,
  OperatorInvitations,
  RedirectUrlsService,
  type SharedClientSettings,
} from '#application';
import type { ProviderType } from '#domain';
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

@Global()
@Module({})
class SettingsModule {
  static forRoot({ sharedClients = {}, publicUrl = LOCAL_URL }: OperatorConnection): DynamicModule {
    const settings = applicationSettings({ publicUrl, providers: sharedClients, requestLogDays: 0 });
    return { module: SettingsModule, providers: settings, exports: settings };
  }
}

@Module({ imports: [AccountExpiryModule, ApplicationsModule, InvitationsModule, OAuthClientsModule] })
class OperatorModule {
  static forRoot(connection: OperatorConnection): DynamicModule {
    const { databaseUrl, encryptionKeys } = connection;
    return {
      module: OperatorModule,
      imports: [
        PersistenceModule.forRoot({ databaseUrl, keyRing: KeyRing.parse(encryptionKeys) }),
        SettingsModule.forRoot(connection),
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
