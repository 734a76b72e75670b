import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  ApiKeysService,
  ApplicationsService,
  ConfiguredOAuthClients,
  MassExpiryBreaker,
  OAuthClients,
  OAuthClientsService,
  RedirectUrlsService,
  type SharedClientSettings,
} from '#application';
import { SharedOAuthClients } from '#domain';
import { KeyRing, PersistenceModule } from '#persistence';

export interface OperatorConnection {
  databaseUrl: string;
  /** Text of ENCRYPTION_KEYS. */
  encryptionKeys: string;
  /** The OAuth clients that the installation shares. Default: none. */
  sharedClients?: SharedClientSettings;
}

export interface OperatorServices {
  applications: ApplicationsService;
  apiKeys: ApiKeysService;
  oauthClients: OAuthClientsService;
  redirectUrls: RedirectUrlsService;
}

@Module({})
class OperatorModule {
  static forRoot({ databaseUrl, encryptionKeys, sharedClients }: OperatorConnection): DynamicModule {
    return {
      module: OperatorModule,
      imports: [PersistenceModule.forRoot({ databaseUrl, keyRing: KeyRing.parse(encryptionKeys) })],
      providers: [
        ...[ApplicationsService, ApiKeysService, OAuthClientsService, RedirectUrlsService],
        ...[OAuthClients, MassExpiryBreaker],
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
    });
  } finally {
    await context.close();
  }
}
