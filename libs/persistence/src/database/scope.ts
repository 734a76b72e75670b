import { isUuid } from '#domain';
import { SYSTEM_SCOPE } from '../entities/tenancy.js';

/** The rows that row-level security shows to a statement. */
export type Scope = { readonly setting: string };

/** Scope of work across applications: key lookup, housekeeping, key rotation, ops. */
export const SYSTEM: Scope = { setting: SYSTEM_SCOPE };

export function tenant(applicationId: string): Scope {
  if (!isUuid(applicationId)) throw new TypeError('An application id is a UUID');
  return { setting: applicationId.toLowerCase() };
}

/**
 * Role for connections whose own role bypasses row-level security (superuser, BYPASSRLS). The migrations create it,
 * without login and with rights on the rows of our tables only. Roles are global, so installations on one server share
 * it.
 */
export const APPLICATION_ROLE = 'unified_calendar_app';
