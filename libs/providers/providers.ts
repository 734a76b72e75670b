import type { ProviderType } from '#domain/accounts';
import { CalendarProviders, type CalendarProvider } from '#domain/providers';
import { DomainError } from '#domain/system';
import { SETTINGS, type ProviderConfigs } from '#platform';
import type { Setting } from '#platform/settings';
import type { OAuthClientDefinition, ProviderDefinition, ProviderDeps } from '#providers/kit/definition';
import * as registry from './registry.js';

/** Listing order: OAuth first, secret addresses last. */
const ORDER: readonly ProviderDefinition['authentication'][] = ['oauth', 'password', 'url'];
const placeOf = ({ authentication, type }: ProviderDefinition) => `${ORDER.indexOf(authentication)} ${type}`;

export const PROVIDERS: readonly ProviderDefinition[] = Object.values<ProviderDefinition>(registry).sort(
  (one, other) => (placeOf(one) < placeOf(other) ? -1 : 1),
);

export const PROVIDER_TYPES: readonly ProviderType[] = PROVIDERS.map(({ type }) => type);

type OAuthProviderDefinition = ProviderDefinition & { readonly oauthClient: OAuthClientDefinition };

export const OAUTH_PROVIDERS = PROVIDERS.filter(
  (definition): definition is OAuthProviderDefinition => definition.oauthClient !== undefined,
);

/** Every setting of the service, each once. Settings of providers come before `egressAllow`. */
export const ALL_SETTINGS: readonly Setting<unknown>[] = settingsOf(Object.values(SETTINGS));

function settingsOf(own: readonly Setting<unknown>[]): Setting<unknown>[] {
  const place = own.indexOf(SETTINGS.egressAllow);
  const ofProviders = new Set(PROVIDERS.flatMap(({ settings }) => Object.values(settings)));
  return [...own.slice(0, place), ...ofProviders, ...own.slice(place)];
}

export function providerBySlug(slug: string): ProviderDefinition | undefined {
  return PROVIDERS.find((definition) => definition.slug === slug);
}

/** URLs whose origins requests may reach by plain http and at private addresses. */
export function trustedOrigins(configs: ProviderConfigs): string[] {
  return PROVIDERS.flatMap((definition) => definition.trustedOrigins(configOf(configs, definition)));
}

export function createProviders(deps: ProviderDeps, configs: ProviderConfigs): CalendarProviders {
  return new CreatedProviders(PROVIDERS.map((definition) => definition.create(deps, configOf(configs, definition))));
}

function configOf(configs: ProviderConfigs, { type }: ProviderDefinition): ProviderConfigs[string] {
  const config = configs[type];
  if (config === undefined) throw new Error(`the configuration says nothing of ${type}`);
  return config;
}

class CreatedProviders extends CalendarProviders {
  private readonly byType: ReadonlyMap<ProviderType, CalendarProvider>;

  constructor(providers: CalendarProvider[]) {
    super();
    this.byType = new Map(providers.map((provider) => [provider.type, provider]));
  }

  /** @throws DomainError NotSupportedByProvider */
  override for(type: ProviderType): CalendarProvider {
    const provider = this.byType.get(type);
    if (provider === undefined) {
      throw new DomainError('NotSupportedByProvider', `This installation does not connect ${type} accounts.`);
    }
    return provider;
  }

  override all(): CalendarProvider[] {
    return [...this.byType.values()];
  }
}
