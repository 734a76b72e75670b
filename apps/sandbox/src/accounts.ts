/** Somebody has this address or this id already. */
export class AccountTaken extends Error {
  override readonly name = 'AccountTaken';
}

/** A name for who has given none: `ada.byron@example.com` is Ada Byron. */
export function nameFrom(address: string): string {
  return address
    .slice(0, address.indexOf('@'))
    .split(/[._+-]+/)
    .filter((part) => part !== '')
    .map((part) => part[0]?.toUpperCase() + part.slice(1))
    .join(' ');
}

/** An address that a mailbox could have; quoted local parts are nobody's here. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[\w.!#$%&*+/=?^`{|}~-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(text);
}
