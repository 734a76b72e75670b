import { DomainError, type ProviderType } from '#domain';
import type { OAuthProvider } from '#operator-api';

export const OAUTH_PROVIDERS = ['google', 'microsoft'] as const satisfies OAuthProvider[];

/** The provider that a segment of a path names. @throws DomainError NotFound */
export function oauthProviderTypeOf(segment: string): ProviderType {
  const provider = OAUTH_PROVIDERS.find((known) => known === segment);
  if (provider === undefined) throw new DomainError('NotFound', 'There is no provider with this name.');
  return provider === 'google' ? 'GOOGLE' : 'MICROSOFT';
}

/** How paths name a provider with OAuth clients. */
export function segmentOf(providerType: ProviderType): OAuthProvider {
  return providerType === 'GOOGLE' ? 'google' : 'microsoft';
}
