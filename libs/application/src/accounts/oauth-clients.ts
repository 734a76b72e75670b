import { Injectable } from '@nestjs/common';
import {
  OAuthClientRepository,
  SharedOAuthClients,
  type ApplicationRef,
  type OAuthClient,
  type ProviderType,
} from '#domain';

/** Which OAuth client speaks for an application. */
@Injectable()
export class OAuthClients {
  constructor(
    private readonly own: OAuthClientRepository,
    private readonly shared: SharedOAuthClients,
  ) {}

  /** For new grants: the application's own, else the installation's; null: there is none. */
  async of(application: ApplicationRef, providerType: ProviderType): Promise<OAuthClient | null> {
    return (await this.own.find(application, providerType)) ?? this.shared.for(providerType);
  }

  /** The one that a grant was given to; no other one can use it. null: it is not configured any more. */
  async ofGrant(
    application: ApplicationRef,
    { providerType, clientId }: { providerType: ProviderType; clientId: string },
  ): Promise<OAuthClient | null> {
    const own = await this.own.find(application, providerType);
    if (own?.clientId === clientId) return own;
    const shared = this.shared.for(providerType);
    return shared?.clientId === clientId ? shared : null;
  }
}
