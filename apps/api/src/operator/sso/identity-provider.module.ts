import { Module, type DynamicModule } from '@nestjs/common';
import { OperatorIdentityProvider } from '#domain/operator';
import { Clock } from '#domain/system';
import { Egress } from '#egress';
import type { Config } from '#platform';
import { OpenIdIdentityProvider } from './openid-identity-provider.js';

/** Empty when operators sign in with passwords only. */
@Module({})
export class IdentityProviderModule {
  static forRoot(config: Config): DynamicModule {
    const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcLabel: label } = config;
    if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
      return { module: IdentityProviderModule };
    }
    return {
      module: IdentityProviderModule,
      global: true,
      providers: [
        {
          provide: OperatorIdentityProvider,
          inject: [Egress, Clock],
          useFactory: (egress: Egress, clock: Clock) =>
            new OpenIdIdentityProvider(
              { issuer, clientId, clientSecret, label },
              { egress, nowMs: () => clock.nowMs() },
            ),
        },
      ],
      exports: [OperatorIdentityProvider],
    };
  }
}
