import type { AccountStatus, ProviderType } from '#operator-api';

export const PROVIDER_NAMES: Record<ProviderType, string> = {
  GOOGLE: 'Google',
  MICROSOFT: 'Microsoft',
  APPLE: 'Apple iCloud',
  CALDAV: 'CalDAV',
};

export const STATUS_NAMES: Record<AccountStatus, string> = { ACTIVE: 'Active', EXPIRED: 'Expired' };
