import type { Api } from '../../api/index.js';

export const STATUS_NAMES: Record<Api.AccountStatus, string> = { ACTIVE: 'Active', EXPIRED: 'Expired' };
