import { Injectable } from '@nestjs/common';
import { MassExpiryRepository, type ProviderType } from '#domain/accounts';
import { OAuthClientRepository, SharedOAuthClients } from '#domain/oauth';
import { CalendarProviders } from '#domain/providers';
import { DomainError } from '#domain/system';
import { ApplicationsService } from '../applications/applications.service.js';
import { CallbackUrls } from './callback-urls.js';

export interface SignInProviderView {
  providerType: ProviderType;
  /** Owner of the client. null when none is configured. */
  source: 'application' | 'installation' | null;
  clientId: string | null;
  /** null for the default scopes. */
  scopes: string[] | null;
  defaultScopes: string[];
  tenant: string | null;
  /** When the client's secret ends. null when nobody has said. */
  expiresAt: string | null;
  /** To be registered at the provider. */
  callbackUrl: string;
  /** null while the mass-expiry breaker of the client is not tripped. */
  breakerTrippedSince: string | null;
}

@Injectable()
export class SignInProviders {
  constructor(
    private readonly applications: ApplicationsService,
    private readonly own: OAuthClientRepository,
    private readonly shared: SharedOAuthClients,
    private readonly providers: CalendarProviders,
    private readonly callbacks: CallbackUrls,
    private readonly ledger: MassExpiryRepository,
  ) {}

  /** @throws DomainError NotFound (application) */
  async list(applicationId: string): Promise<SignInProviderView[]> {
    await this.applications.get(applicationId);
    const own = new Map((await this.own.list({ applicationId })).map((client) => [client.providerType, client]));
    const views = this.providers.all().map(async ({ type, authorization }) => {
      if (authorization === null) return [];
      const client = own.get(type) ?? this.shared.for(type);
      const source = own.has(type) ? ('application' as const) : client === null ? null : ('installation' as const);
      return [
        {
          providerType: type,
          source,
          clientId: client?.clientId ?? null,
          scopes: client?.scopes ?? null,
          defaultScopes: [...authorization.defaultScopes],
          tenant: client?.tenant ?? null,
          expiresAt: client?.expiresAt?.toISOString() ?? null,
          callbackUrl: this.callbacks.of(type),
          breakerTrippedSince: client === null ? null : await this.breakerTrippedSince(type, client.clientId),
        },
      ];
    });
    return (await Promise.all(views)).flat();
  }

  /** @throws DomainError NotFound (application), NotSupportedByProvider */
  async get(applicationId: string, providerType: ProviderType): Promise<SignInProviderView> {
    const view = (await this.list(applicationId)).find((each) => each.providerType === providerType);
    if (view !== undefined) return view;
    throw new DomainError('NotSupportedByProvider', `${providerType} accounts do not connect with OAuth.`);
  }

  private async breakerTrippedSince(providerType: ProviderType, clientId: string): Promise<string | null> {
    return (await this.ledger.breakerTrippedSince({ providerType, clientId }))?.toISOString() ?? null;
  }
}
