import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiKeysService, ApplicationsService } from '#application';
import { KeyRing, PersistenceModule } from '#persistence';

export interface OperatorConnection {
  databaseUrl: string;
  /** Text of ENCRYPTION_KEYS. */
  encryptionKeys: string;
}

export interface OperatorServices {
  applications: ApplicationsService;
  apiKeys: ApiKeysService;
}

@Module({})
class OperatorModule {
  static forRoot({ databaseUrl, encryptionKeys }: OperatorConnection): DynamicModule {
    return {
      module: OperatorModule,
      imports: [PersistenceModule.forRoot({ databaseUrl, keyRing: KeyRing.parse(encryptionKeys) })],
      providers: [ApplicationsService, ApiKeysService],
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
    return await work({ applications: context.get(ApplicationsService), apiKeys: context.get(ApiKeysService) });
  } finally {
    await context.close();
  }
}
