import { Group } from '@mantine/core';
import { useApi, type Api } from '../api/index.js';

export interface Providers {
  /** Empty until they are here. */
  all: Api.Provider[];
  /** They are neither here nor known not to come. */
  isPending: boolean;
  find: (type: Api.ProviderType) => Api.Provider | undefined;
  /** What people call a provider; until that is known its type. */
  labelOf: (type: Api.ProviderType) => string;
  /** What is different about setting up a client at a provider. */
  formOf: (provider: Api.OAuthProvider) => Api.OAuthClientForm & { name: string };
}

const NO_FORM: Api.OAuthClientForm = {
  console: 'console of the provider.',
  redirectName: 'Redirect URIs',
  tenant: null,
  defaultScopes: [],
};

/** The providers of the installation. They are the same for as long as the service runs. */
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

/** A provider, as people call it, with its sign. */
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
