import { Inject, Injectable } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import { SharedOAuthClients, type OAuthClient } from '#domain/oauth';
import { parseIsoInstant } from '../events/iso-time.js';
import { SHARED_CLIENTS, type SharedClientSettings } from '../system/settings.js';

@Injectable()
export class ConfiguredOAuthClients extends SharedOAuthClients {
  private readonly byProvider: ReadonlyMap<ProviderType, OAuthClient | null>;

  /** @throws Error when a client has an id or a secret alone, or an unreadable expiry */
  constructor(@Inject(SHARED_CLIENTS) settings: Readonly<Record<ProviderType, SharedClientSettings>>) {
    super();
    this.byProvider = new Map(Object.entries(settings).map(([type, client]) => [type, clientOf(type, client)]));
  }

  override for(providerType: ProviderType): OAuthClient | null {
    return this.byProvider.get(providerType) ?? null;
  }
}

function clientOf(providerType: ProviderType, settings: SharedClientSettings): OAuthClient | null {
  const [clientId, clientSecret] = [textOf(settings.clientId), textOf(settings.clientSecret)];
  if (clientId !== null && clientSecret !== null) {
    return {
      ...{ clientId, clientSecret, scopes: scopesOf(textOf(settings.scopes) ?? ''), tenant: textOf(settings.tenant) },
      expiresAt: expiryOf(providerType, textOf(settings.expiresAt)),
    };
  }
  if (clientId === null && clientSecret === null) return null;
  throw new Error(`${providerType}_CLIENT_ID and ${providerType}_CLIENT_SECRET must be given together`);
}

function expiryOf(providerType: ProviderType, text: string | null): Date | null {
  const date = text === null ? null : parseIsoInstant(text);
  if (date !== null || text === null) return date;
  throw new Error(`${providerType}_CLIENT_SECRET_EXPIRES_AT must be an ISO 8601 date or instant`);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** RFC 6749 §3.3. null for the provider's default scopes. */
function scopesOf(text: string): string[] | null {
  const scopes = text.split(/\s+/).filter((scope) => scope !== '');
  return scopes.length === 0 ? null : scopes;
}
