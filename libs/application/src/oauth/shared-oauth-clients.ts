import { SharedOAuthClients, type OAuthClient, type ProviderType } from '#domain';

/** The settings of the clients that the installation shares; undefined: not set. */
export interface SharedClientSettings {
  googleClientId?: string | undefined;
  googleClientSecret?: string | undefined;
  /** Separated by spaces. */
  googleScopes?: string | undefined;
  microsoftClientId?: string | undefined;
  microsoftClientSecret?: string | undefined;
  microsoftScopes?: string | undefined;
  microsoftTenant?: string | undefined;
}

/** The OAuth clients that the configuration names. */
export class ConfiguredOAuthClients extends SharedOAuthClients {
  private readonly byProvider: Partial<Record<ProviderType, OAuthClient | null>>;

  /** @throws Error when a client has an id without a secret, or the other way round: nobody could sign in with it */
  constructor(settings: SharedClientSettings) {
    super();
    this.byProvider = {
      GOOGLE: clientOf('GOOGLE', settings.googleClientId, settings.googleClientSecret, settings.googleScopes),
      MICROSOFT: clientOf(
        'MICROSOFT',
        settings.microsoftClientId,
        settings.microsoftClientSecret,
        settings.microsoftScopes,
        settings.microsoftTenant,
      ),
    };
  }

  override for(providerType: ProviderType): OAuthClient | null {
    return this.byProvider[providerType] ?? null;
  }
}

function clientOf(
  providerType: ProviderType,
  clientId: string | undefined,
  clientSecret: string | undefined,
  scopes: string | undefined,
  tenant: string | null = null,
): OAuthClient | null {
  if (clientId !== undefined && clientSecret !== undefined) {
    return { clientId, clientSecret, scopes: scopesOf(scopes), tenant };
  }
  if (clientId === undefined && clientSecret === undefined) return null;
  throw new Error(`${providerType}_CLIENT_ID and ${providerType}_CLIENT_SECRET must be given together`);
}

/** RFC 6749 §3.3. null: the provider's default set. */
function scopesOf(text = ''): string[] | null {
  const scopes = text.split(/\s+/).filter((scope) => scope !== '');
  return scopes.length === 0 ? null : scopes;
}
