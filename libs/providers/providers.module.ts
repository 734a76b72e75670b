import { Logger, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import {
  CalendarProviders,
  Clock,
  OperatorIdentityProvider,
  PrivatePropertyStore,
  ProviderBudget,
  ProviderSlots,
  SyncSnapshotStore,
} from '#domain';
import { Egress, GuardedEgress } from '#egress';
import type { Config } from '#platform';
import { UnreadableObjects } from '#providers/caldav';
import { createProviders } from './create-providers.js';
import { OpenIdIdentityProvider, type OpenIdSettings } from './openid/openid-identity-provider.js';

/** Objects that cannot be read are left out of lists; operators learn which. */
class LoggedUnreadableObjects extends UnreadableObjects {
  private readonly logger = new Logger('Providers');

  override report(object: Parameters<UnreadableObjects['report']>[0]): void {
    this.logger.warn(object, 'a calendar object cannot be read');
  }
}

/** The providers of this installation, and the one way out of the process that they share with webhooks. */
@Module({})
export class ProvidersModule implements OnApplicationShutdown {
  constructor(private readonly egress: Egress) {}

  static forRoot(config: Config): DynamicModule {
    const openId = openIdSettings(config);
    return {
      module: ProvidersModule,
      global: true,
      providers: [
        {
          provide: Egress,
          useFactory: () =>
            new GuardedEgress({
              allow: config.egressAllow,
              trustedOrigins: [
                config.googleApiUrl,
                config.googleOauthUrl,
                config.googleTokenUrl,
                config.microsoftGraphUrl,
                config.microsoftLoginUrl,
                config.appleCaldavUrl,
                ...(config.svixServerUrl === undefined ? [] : [config.svixServerUrl]),
                ...(openId === null ? [] : [openId.issuer]),
              ],
            }),
        },
        {
          provide: CalendarProviders,
          inject: [Egress, ProviderBudget, ProviderSlots, PrivatePropertyStore, SyncSnapshotStore, Clock],
          useFactory: (
            egress: Egress,
            budget: ProviderBudget,
            slots: ProviderSlots,
            privateProperties: PrivatePropertyStore,
            snapshots: SyncSnapshotStore,
            clock: Clock,
          ) =>
            createProviders({
              egress,
              budget,
              slots,
              privateProperties,
              snapshots,
              clock,
              unreadable: new LoggedUnreadableObjects(),
              google: {
                apiUrl: config.googleApiUrl,
                oauthUrl: config.googleOauthUrl,
                tokenUrl: config.googleTokenUrl,
                requestsPerMinute: config.googleRequestsPerMinute,
                timeoutMs: config.providerTimeoutMs,
              },
              microsoft: {
                graphUrl: config.microsoftGraphUrl,
                loginUrl: config.microsoftLoginUrl,
                requestsPerMinute: config.microsoftRequestsPerMinute,
                timeoutMs: config.providerTimeoutMs,
              },
              appleCalDavUrl: config.appleCaldavUrl,
              calDavRequestsPerMinute: config.caldavRequestsPerMinute,
            }),
        },
        ...(openId === null
          ? []
          : [
              {
                provide: OperatorIdentityProvider,
                inject: [Egress, Clock],
                useFactory: (egress: Egress, clock: Clock) =>
                  new OpenIdIdentityProvider(openId, { egress, nowMs: () => clock.nowMs() }),
              },
            ]),
      ],
      exports: [CalendarProviders, Egress, ...(openId === null ? [] : [OperatorIdentityProvider])],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.egress.close();
  }
}

/** null: operators have passwords alone. The configuration has been checked: all or none. */
function openIdSettings(config: Config): OpenIdSettings | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcLabel: label } = config;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  return { issuer, clientId, clientSecret, label };
}
