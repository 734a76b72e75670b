import { isUuid, type AccountIdentity } from '#domain';
import { isAddress } from '#providers/kit/oauth';

/** The directory of all personal accounts: https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference */
const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad';

/** Addresses of `/me`, unchecked. */
export interface Profile {
  mail?: unknown;
  userPrincipalName?: unknown;
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
 * Whether a user of the directory `tid` can sign in at `tenant`: `common`, `organizations`, `consumers`, a directory's id,
 * or one of its domains, which only Microsoft can tell apart.
 */
export function isOfTenant(tid: string, tenant: string): boolean {
  if (tenant === 'common') return true;
  if (tenant === 'consumers') return isPersonal(tid);
  return isUuid(tenant) ? tid.toLowerCase() === tenant.toLowerCase() : !isPersonal(tid);
}

/**
 * The identity of verified claims. `subject` is `<tid>.<oid>` in lower case: an object id is permanent within its
 * directory. Administrators can change addresses, most of them to any text, so an address never identifies an account;
 * only one that is vouched for names it.
 * @returns null without an object id (scope `profile`)
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

/** The address of the profile that counts, also when the id_token vouches for it. */
export function emailOf(profile: Profile, { subject, email, otherEmails = [] }: AccountIdentity): string | null {
  const domain = domainOf(profile.userPrincipalName);
  const vouchedFor = new Set([email, ...otherEmails].map((address) => address.toLowerCase()));
  const counts = (address: string) =>
    isPersonal(subject.split('.', 1)[0]) || domainOf(address) === domain || vouchedFor.has(address.toLowerCase());
  return distinct(addressesOf(profile)).find(counts) ?? null;
}

/**
 * Whether an address counts. Microsoft verifies those of personal accounts. A directory owns the domains of its user
 * principal names (https://learn.microsoft.com/entra/identity/hybrid/connect/plan-connect-userprincipalname). `mail` and
 * the claim `email` may be any text of an administrator, unless `xms_edov` says that the domain is verified
 * (https://learn.microsoft.com/entra/identity-platform/optional-claims-reference).
 */
function vouchingOf(claims: Record<string, unknown>, profile: Profile | null): (address: string) => boolean {
  if (isPersonal(claims['tid'])) return () => true;
  const domain =
    domainOf(profile?.userPrincipalName) ?? (isGuest(claims) ? null : domainOf(claims['preferred_username']));
  const verified = isTrue(claims['xms_edov']) && isOwnAddress(claims['email']) ? claims['email'].toLowerCase() : null;
  return (address) => domainOf(address) === domain || address.toLowerCase() === verified;
}

/** `idp` names another directory, whose sign-in name a guest has. */
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

/** In lower case. The sign-in name of a guest has the directory's own domain. */
function domainOf(address: unknown): string | null {
  return isAddress(address) ? address.slice(address.indexOf('@') + 1).toLowerCase() : null;
}

function addressesOf(profile: Profile | null): unknown[] {
  return [profile?.mail, profile?.userPrincipalName];
}

/** The addresses, without regard to case, in the last spelling. */
function distinct(values: readonly unknown[]): string[] {
  return [...new Map(values.filter(isOwnAddress).map((address) => [address.toLowerCase(), address])).values()];
}

/** The sign-in name of a guest, `ida_fabrikam.example#EXT#@contoso.example`, is no address. */
function isOwnAddress(value: unknown): value is string {
  return isAddress(value) && !/#ext#/i.test(value);
}
