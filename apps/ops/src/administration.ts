import { Global, Injectable, Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  AdministrationModule,
  DeliveryActions,
  OperatorAccountsService,
  OperatorDeliveriesService,
  OperatorsService,
} from '#application/operator';
import { applicationSettings } from '#application/system';
import { SealingKeys } from '#application/tokens';
import { WebhooksModule } from '#application/webhooks';
import { EgressModule } from '#egress';
import { SyncWakeupModule } from '#jobs';
import { KeyRing, PersistenceModule } from '#persistence';
import { ConfigModule, type Config } from '#platform';
import { ProvidersModule, trustedOrigins } from '#providers';
import { transportSettings } from '#webhooks';
import { findConfig } from './connection.js';

export interface AdministrationServices {
  accounts: OperatorAccountsService;
  deliveries: OperatorDeliveriesService;
  deliveryActions: DeliveryActions;
  operators: OperatorsService;
}

/** Page tokens of the command line and of the dashboard are alike. */
@Injectable()
class PageTokenKeys extends SealingKeys {
  private static readonly purpose = 'client-tokens';

  constructor(private readonly ring: KeyRing) {
    super();
  }

  override current(): { kid: string; key: Buffer } {
    const entry = this.ring.current();
    return { kid: entry.kid, key: entry.deriveKey(PageTokenKeys.purpose) };
  }

  override byId(kid: string): Buffer | null {
    return this.ring.byId(kid)?.deriveKey(PageTokenKeys.purpose) ?? null;
  }
}

@Global()
@Module({ providers: [{ provide: SealingKeys, useClass: PageTokenKeys }], exports: [SealingKeys] })
class PageTokensModule {}

/** Unlike `operate`, with the providers and the way out to them. */
@Module({})
class InstallationModule {
  static forRoot(config: Config): DynamicModule {
    const { databaseUrl, redisUrl } = config;
    return {
      module: InstallationModule,
      imports: [
        ConfigModule.forRoot(config, [...applicationSettings(config), transportSettings(config)]),
        PersistenceModule.forRoot({
          databaseUrl,
          keyRing: KeyRing.parse(config.encryptionKeys),
          applicationName: 'unified-calendar ops',
          poolSize: 2,
        }),
        EgressModule.forRoot(config.egressAllow, [...trustedOrigins(config.providers), config.svixServerUrl]),
        ProvidersModule.forRoot(config),
        SyncWakeupModule.forRoot({ databaseUrl, redisUrl: redisUrl ?? null }),
        PageTokensModule,
        WebhooksModule,
        AdministrationModule,
      ],
    };
  }
}

/**
 * Runs `work` with all services of the installation, which then end.
 * @throws NotConfigured, ConfigError, what `work` throws
 */
export async function administer<T>(work: (services: AdministrationServices) => Promise<T>): Promise<T> {
  const context = await NestFactory.createApplicationContext(InstallationModule.forRoot(findConfig(process.env)), {
    // stdout carries the output of the command; errors are thrown.
    logger: false,
    abortOnError: false,
  });
  try {
    return await work({
      accounts: context.get(OperatorAccountsService),
      deliveries: context.get(OperatorDeliveriesService),
      deliveryActions: context.get(DeliveryActions),
      operators: context.get(OperatorsService),
    });
  } finally {
    await context.close();
  }
}
