import { SYSTEM_SCOPE } from '../entities/tenancy.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Whose rows a statement may see (row-level security). */
export type Scope = { readonly setting: string };

/** Work that belongs to no application: key lookup, housekeeping, rotation, ops. */
export const SYSTEM: Scope = { setting: SYSTEM_SCOPE };

export function tenant(applicationId: string): Scope {
  if (!isUuid(applicationId)) throw new TypeError('An application id is a UUID');
  return { setting: applicationId.toLowerCase() };
}
