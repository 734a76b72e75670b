import { SharedOAuthClients, type OAuthClient, type ProviderType } from '#domain';

/** The settings of the clients that the installation shares; undefined: not set. */
export interface SharedClientSettings {
  googleClientId: string | undefined;
  googleClientSecret: string | undefined;
  /** Separated by spaces. */
  googleScopes: string | undefined;
}

/** The OAuth clients that the configuration names. */
export class ConfiguredOAuthClients extends SharedOAuthClients {
  private readonly byProvider: Partial<Record<ProviderType, OAuthClient>> = {};

  /** @throws Error when a client has an id without a secret, or the other way round: nobody could sign in with it */
  constructor({ googleClientId, googleClientSecret, googleScopes }: SharedClientSettings) {
    super();
    if ((googleClientId === undefined) !== (googleClientSecret === undefined)) {
      throw new Error('GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET must be given together');
    }
    if (googleClientId === undefined || googleClientSecret === undefined) return;
    this.byProvider.GOOGLE = {
      clientId: googleClientId,
      clientSecret: googleClientSecret,
      scopes: scopesOf(googleScopes),
      tenant: null,
    };
  }

  override for(providerType: ProviderType): OAuthClient | null {
    return this.byProvider[providerType] ?? null;
  }
}

/** RFC 6749 §3.3. null: the provider's default set. */
function scopesOf(text = ''): string[] | null {
  const scopes = text.split(/\s+/).filter((scope) => scope !== '');
  return scopes.length === 0 ? null : scopes;
}
