import { Group } from '@mantine/core';
import type { All, OAuthClientFormView, OAuthProvider, ProviderType, ProviderView } from '#operator-api';
import { useApi } from '../api/index.js';

export interface Providers {
  /** Empty until they are here. */
  all: ProviderView[];
  find: (type: ProviderType) => ProviderView | undefined;
  /** What people call a provider; until that is known its type. */
  labelOf: (type: ProviderType) => string;
  /** What is different about setting up a client at a provider. */
  formOf: (provider: OAuthProvider) => OAuthClientFormView & { name: string };
  /** What those are called whose accounts connect in one of these ways: `A and B`. */
  labelsOf: (...authentications: ProviderView['authentication'][]) => string;
}

const NO_FORM: OAuthClientFormView = {
  console: 'console of the provider.',
  redirectName: 'Redirect URIs',
  tenant: null,
  defaultScopes: [],
};

/** The providers of the installation. They are the same for as long as the service runs. */
export function useProviders(): Providers {
  const all = useApi<All<ProviderView>>('/providers', {}, { isFixed: true }).data?.data ?? [];
  const find = (type: ProviderType) => all.find((provider) => provider.type === type);
  return {
    all,
    find,
    labelOf: (type) => find(type)?.label ?? type,
    formOf(slug) {
      const provider = all.find((one) => one.slug === slug);
      return { ...(provider?.oauthClient ?? NO_FORM), name: provider?.label ?? slug };
    },
    labelsOf: (...authentications) =>
      listed(all.filter(({ authentication }) => authentications.includes(authentication)).map(({ label }) => label)),
  };
}

/** `A, B and C`. */
export function listed(names: readonly string[], type: 'conjunction' | 'disjunction' = 'conjunction'): string {
  return new Intl.ListFormat('en-GB', { type }).format(names);
}

/** A provider, as people call it, with its sign. */
export function ProviderName({ type }: { type: ProviderType }) {
  const provider = useProviders().find(type);
  return (
    <Group component="span" gap={6} wrap="nowrap" display="inline-flex">
      {provider && (
        <svg viewBox="0 0 24 24" width={14} height={14} fill="currentColor" fillRule="evenodd" aria-hidden>
          <path d={provider.icon} />
        </svg>
      )}
      {provider?.label ?? type}
    </Group>
  );
}
