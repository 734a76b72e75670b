import type { AccountIdentity } from '#domain';

/** Every address that a provider knows somebody by; none for nobody. */
export function addressesOf(identity: AccountIdentity | null): string[] {
  return identity === null ? [] : [identity.email, ...(identity.aliases ?? [])];
}

/** Mail systems that tell capitals apart are none that accounts are at. */
export function isAmong(addresses: readonly string[], email: string): boolean {
  return addresses.some((address) => address.toLowerCase() === email.toLowerCase());
}
