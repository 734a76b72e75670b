import type { AccountIdentity } from '#domain/oauth';
import { isUuid } from '#domain/system';
import { isAddress } from '#providers/kit/oauth';

/** Directory of personal accounts: https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference */
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad';

/** Unchecked addresses of `/me`. */
export interface Profile {
  mail?: unknown;
  userPrincipalName?: unknown;
}

/** @param root of the identity platform, without a slash at its end */
export function issuerOf(root: string, tid: string): string {
  return `${root}/${tid}/v2.0`;
}

export function isIssuer(root: string, iss: string): boolean {
  const tid = iss.slice(root.length + 1).split('/', 1)[0] ?? '';
  return isUuid(tid) && iss === issuerOf(root, tid);
}

/** @param tenant `common`, `organizations`, `consumers`, a directory's id, or a domain, which cannot be checked here */
export function isOfTenant(tid: string, tenant: string): boolean {
  if (tenant === 'common') return true;
  if (tenant === 'consumers') return isPersonal(tid);
  return isUuid(tenant) ? tid.toLowerCase() === tenant.toLowerCase() : !isPersonal(tid);
}

/**
 * Returns the identity of verified claims; null without an object id (scope `profile`). `subject` is `<tid>.<oid>` in
 * lower case: an object id is permanent within its directory. An address never identifies an account, because
 * administrators can change it.
 */
export function identityOf(claims: Record<string, unknown>, profile: Profile | null): AccountIdentity | null {
  const { tid, oid, email, preferred_username: preferredUsername } = claims;
  if (!isUuid(tid) || !isUuid(oid)) return null;
  const known = distinct([...addressesOf(profile), email, preferredUsername]);
  const isVouchedFor = vouchingOf(claims, profile);
  const [first = '', ...others] = known.filter(isVouchedFor);
  return {
    subject: `${tid}.${oid}`.toLowerCase(),
    email: first,
    otherEmails: others,
    aliases: known.filter((address) => !isVouchedFor(address)),
  };
}

/** Returns a trusted address of the profile. The id_token may vouch for it, too. */
export function emailOf(profile: Profile, { subject, email, otherEmails = [] }: AccountIdentity): string | null {
  const domain = domainOf(profile.userPrincipalName);
  const vouchedFor = new Set([email, ...otherEmails].map((address) => address.toLowerCase()));
  const counts = (address: string) =>
    isPersonal(subject.split('.', 1)[0]) || domainOf(address) === domain || vouchedFor.has(address.toLowerCase());
  return distinct(addressesOf(profile)).find(counts) ?? null;
}

/**
 * Whether to trust an address. Microsoft verifies those of personal accounts. A directory owns the domains of its user
 * principal names (https://learn.microsoft.com/entra/identity/hybrid/connect/plan-connect-userprincipalname). `mail`
 * and `email` may be any text of an administrator, unless `xms_edov` says that the domain is verified
 * (https://learn.microsoft.com/entra/identity-platform/optional-claims-reference).
 */
function vouchingOf(claims: Record<string, unknown>, profile: Profile | null): (address: string) => boolean {
  if (isPersonal(claims['tid'])) return () => true;
  const domain =
    domainOf(profile?.userPrincipalName) ?? (isGuest(claims) ? null : domainOf(claims['preferred_username']));
  const verified = isTrue(claims['xms_edov']) && isOwnAddress(claims['email']) ? claims['email'].toLowerCase() : null;
  return (address) => domainOf(address) === domain || address.toLowerCase() === verified;
}

/** `idp` names the home directory of a guest, who signs in with its user name. */
function isGuest({ idp, iss }: Record<string, unknown>): boolean {
  return idp !== undefined && idp !== iss;
}

/** Microsoft has several spellings. */
function isTrue(claim: unknown): boolean {
  return claim === true || claim === 1 || claim === '1' || claim === 'true';
}

function isPersonal(tid: unknown): boolean {
  return typeof tid === 'string' && tid.toLowerCase() === PERSONAL;
}

/** Lower case. A guest's sign-in name has the directory's own domain. */
function domainOf(address: unknown): string | null {
  return isAddress(address) ? address.slice(address.indexOf('@') + 1).toLowerCase() : null;
}

function addressesOf(profile: Profile | null): unknown[] {
  return [profile?.mail, profile?.userPrincipalName];
}

function distinct(values: readonly unknown[]): string[] {
  return [...new Map(values.filter(isOwnAddress).map((address) => [address.toLowerCase(), address])).values()];
}

/** A guest's sign-in name, `ida_fabrikam.example#EXT#@contoso.example`, is no address. */
function isOwnAddress(value: unknown): value is string {
  return isAddress(value) && !/#ext#/i.test(value);
}
