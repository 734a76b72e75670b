/** Another account has this address or id. */
export class AccountTaken extends Error {
  override readonly name = 'AccountTaken';
}

/** Derives a name from an address: `ada.byron@example.com` is Ada Byron. */
export function nameFrom(address: string): string {
  return address
    .slice(0, address.indexOf('@'))
    .split(/[._+-]+/)
    .filter((part) => part !== '')
    .map((part) => part[0]?.toUpperCase() + part.slice(1))
    .join(' ');
}

/** True for an address that a mailbox could have; rejects quoted local parts. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[\w.!#$%&*+/=?^`{|}~-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(text);
}
