import type { ProviderType } from '#domain/accounts';
import { DomainError } from '#domain/system';
import { OAUTH_PROVIDERS } from '#providers';

type OAuthProviderDefinition = (typeof OAUTH_PROVIDERS)[number];

/** @throws DomainError NotFound */
export function oauthProviderOf(segment: string): OAuthProviderDefinition {
  const definition = OAUTH_PROVIDERS.find(({ slug }) => slug === segment);
  if (definition === undefined) throw new DomainError('NotFound', 'There is no provider with this name.');
  return definition;
}

export function segmentOf(providerType: ProviderType): string {
  const definition = OAUTH_PROVIDERS.find(({ type }) => type === providerType);
  if (definition === undefined) throw new Error(`${providerType} has no OAuth clients`);
  return definition.slug;
}
