import { isUuid } from '#domain';
import { SYSTEM_SCOPE } from '../entities/tenancy.js';

/** Whose rows a statement may see (row-level security). */
export type Scope = { readonly setting: string };

/** Work that belongs to no application: key lookup, housekeeping, rotation, ops. */
export const SYSTEM: Scope = { setting: SYSTEM_SCOPE };

export function tenant(applicationId: string): Scope {
  if (!isUuid(applicationId)) throw new TypeError('An application id is a UUID');
  return { setting: applicationId.toLowerCase() };
}

/**
 * Role that connections take on when their own may pass row-level security (superuser, BYPASSRLS). Without login, with
 * no more than the rights on the rows of our tables; made by the migrations. Roles belong to the whole server, so
 * installations that share one share it.
 */
export const APPLICATION_ROLE = 'unified_calendar_app';
