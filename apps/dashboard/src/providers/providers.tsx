import { Group } from '@mantine/core';
import { useApi, type Api } from '../api/index.js';

export interface Providers {
  /** Empty while loading. */
  all: Api.Provider[];
  isPending: boolean;
  find: (type: Api.ProviderType) => Api.Provider | undefined;
  /** Display name of a provider; its type while loading. */
  labelOf: (type: Api.ProviderType) => string;
  /** Texts for setting up an OAuth client. */
  formOf: (provider: Api.OAuthProvider) => Api.OAuthClientForm & { name: string };
}

const NO_FORM: Api.OAuthClientForm = {
  console: 'console of the provider.',
  redirectName: 'Redirect URIs',
  tenant: null,
  defaultScopes: [],
};

/** The providers of the installation, constant while the service runs. */
export function useProviders(): Providers {
  const { data, isPending } = useApi<Api.ProviderList>('/providers', {}, { isFixed: true });
  const all = data?.data ?? [];
  const find = (type: Api.ProviderType) => all.find((provider) => provider.type === type);
  return {
    all,
    isPending,
    find,
    labelOf: (type) => find(type)?.label ?? type,
    formOf(slug) {
      const provider = all.find((one) => one.slug === slug);
      return { ...(provider?.oauthClient ?? NO_FORM), name: provider?.label ?? slug };
    },
  };
}

export function ProviderName({ type }: { type: Api.ProviderType }) {
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
