import type { AccountIdentity } from '#domain';

/** Every address of somebody that the provider vouches for; none for nobody. */
export function addressesOf(identity: AccountIdentity | null): string[] {
  return identity === null ? [] : [identity.email, ...(identity.otherEmails ?? [])].filter((email) => email !== '');
}

/** Mail systems that tell capitals apart are none that accounts are at. */
export function isAmong(addresses: readonly string[], email: string): boolean {
  return addresses.some((address) => address.toLowerCase() === email.toLowerCase());
}
