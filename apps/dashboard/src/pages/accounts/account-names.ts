import type { AccountStatus } from '#operator-api';

export const STATUS_NAMES: Record<AccountStatus, string> = { ACTIVE: 'Active', EXPIRED: 'Expired' };
