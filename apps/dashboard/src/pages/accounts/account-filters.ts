import type { AccountQuery, AccountStatus, ProviderType } from '#operator-api';

export const PROVIDER_NAMES: Record<ProviderType, string> = {
  GOOGLE: 'Google',
  MICROSOFT: 'Microsoft',
  APPLE: 'Apple iCloud',
  CALDAV: 'CalDAV',
};

export const STATUS_NAMES: Record<AccountStatus, string> = { ACTIVE: 'Active', EXPIRED: 'Expired' };

/** What of an address is a filter of the list; anything else in it is left alone. */
export function filtersOf(params: URLSearchParams): AccountQuery {
  const providerType = params.get('providerType');
  const status = params.get('status');
  return {
    applicationId: params.get('applicationId') || undefined,
    providerType: isKeyOf(PROVIDER_NAMES, providerType) ? providerType : undefined,
    status: isKeyOf(STATUS_NAMES, status) ? status : undefined,
    search: params.get('search')?.trim() || undefined,
  };
}

/** The address with one filter changed; without the page token, which belongs to the filters before. */
export function withFilter(params: URLSearchParams, name: keyof AccountQuery, value: string): URLSearchParams {
  const changed = new URLSearchParams(params);
  changed.delete('pageToken');
  if (value === '') changed.delete(name);
  else changed.set(name, value);
  return changed;
}

function isKeyOf<T extends object>(names: T, value: unknown): value is keyof T {
  return typeof value === 'string' && Object.hasOwn(names, value);
}
