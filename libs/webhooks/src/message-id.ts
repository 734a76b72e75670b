import { isUuid } from '#domain';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62²² > 2¹²⁸ */
const LENGTH = 22;
const PREFIX = 'msg_';

/**
 * `msg_` and the 128 bits of a UUID in base 62, 26 characters: the same for all attempts, in order of time for UUIDs of
 * version 7 (compared by bytes), and without the full stop that separates the parts of what is signed.
 * @throws TypeError for what is not a UUID (RFC 9562 §4)
 */
export function messageIdOf(uuid: string): string {
  if (!isUuid(uuid)) throw new TypeError('A message id is made of a UUID');
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let digits = '';
  for (; digits.length < LENGTH; rest /= 62n) digits = `${DIGITS[Number(rest % 62n)]}${digits}`;
  return PREFIX + digits;
}

/** Whether {@link messageIdOf} can have made it. */
export function isMessageId(text: string): boolean {
  return /^msg_[0-9A-Za-z]{22}$/.test(text);
}

/** The UUID that {@link messageIdOf} made it of, in lower case; null for what it cannot have made. */
export function uuidOf(messageId: string): string | null {
  if (!isMessageId(messageId)) return null;
  const digits = [...messageId.slice(PREFIX.length)];
  const bits = digits.reduce((sum, digit) => sum * 62n + BigInt(DIGITS.indexOf(digit)), 0n);
  if (bits >> 128n > 0n) return null;
  return bits
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
