import type { AccountIdentity } from '#domain';
import { isAddress } from '#provider-calls';

/** The directory of all personal accounts: https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference */
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad';
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** What `/me` says of somebody's addresses, unchecked. */
export interface Profile {
  mail?: unknown;
  userPrincipalName?: unknown;
}

/** Whether a claim can be the id of a directory or of somebody in it. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Issuer of the tokens of a directory. @param root of the identity platform, without a slash at its end */
export function issuerOf(root: string, tid: string): string {
  return `${root}/${tid}/v2.0`;
}

/** Whether `iss` is the issuer of any directory. */
export function isIssuer(root: string, iss: string): boolean {
  const tid = iss.slice(root.length + 1).split('/', 1)[0] ?? '';
  return isUuid(tid) && iss === issuerOf(root, tid);
}

/**
 * Whether somebody of the directory `tid` can have signed in at `tenant`, which is `common`, `organizations`,
 * `consumers`, a directory's id, or one of its domains: those Microsoft alone can tell apart.
 */
export function isOfTenant(tid: string, tenant: string): boolean {
  const isPersonal = tid.toLowerCase() === PERSONAL;
  if (tenant === 'common') return true;
  if (tenant === 'consumers') return isPersonal;
  return isUuid(tenant) ? tid.toLowerCase() === tenant.toLowerCase() : !isPersonal;
}

/**
 * Who signed in. `subject` is `<tid>.<oid>`, in lower case: an object id is permanent within its directory, and as a
 * guest the same person has others elsewhere. Addresses can be changed by administrators of any directory, to any text:
 * they name an account and never identify it.
 * @param claims verified
 * @param profile null: not asked for
 * @returns null without an object id (scope `profile`) or any address
 */
export function identityOf(
  { tid, oid, email, preferred_username: preferredUsername }: Record<string, unknown>,
  profile: Profile | null,
): AccountIdentity | null {
  if (!isUuid(tid) || !isUuid(oid)) return null;
  const known = [...addressesOf(profile), email, preferredUsername].filter(isOwnAddress);
  const [first, ...others] = new Map(known.map((address) => [address.toLowerCase(), address])).values();
  if (first === undefined) return null;
  return { subject: `${tid}.${oid}`.toLowerCase(), email: first, aliases: others };
}

/** The address of an account by its profile; null when that tells none. */
export function emailOf(profile: Profile): string | null {
  return addressesOf(profile).find(isOwnAddress) ?? null;
}

function addressesOf(profile: Profile | null): unknown[] {
  return [profile?.mail, profile?.userPrincipalName];
}

/** Sign-in names of guests, `ida_fabrikam.example#EXT#@contoso.example`, look like addresses and are none. */
function isOwnAddress(value: unknown): value is string {
  return isAddress(value) && !/#ext#/i.test(value);
}
