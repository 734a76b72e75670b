import { isUuid } from '#domain/system';
import { SYSTEM_SCOPE } from '../entities/tenancy.js';

export type Scope = { readonly setting: string };

export const SYSTEM: Scope = { setting: SYSTEM_SCOPE };

export function tenant(applicationId: string): Scope {
  if (!isUuid(applicationId)) throw new TypeError('An application id is a UUID');
  return { setting: applicationId.toLowerCase() };
}

/**
 * Role of connections whose own role bypasses row-level security. The migrations create it. Roles are global, so
 * installations on one server share it.
 */
export const APPLICATION_ROLE = 'unified_calendar_app';
