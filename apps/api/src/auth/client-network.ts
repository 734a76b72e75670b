import { isIPv6 } from 'node:net';

/** 16-bit groups of the part of an IPv6 address that names a network (RFC 4291 §2.5.4). */
const NETWORK_GROUPS = 4;

/**
 * Whom an address is counted as. Whoever has one IPv6 address has the 2^64 of its network; IPv4 addresses, also those
 * that are written as IPv6, count one by one.
 */
export function clientNetwork(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [before = [], after] = (address.split('%')[0] as string).split('::').map(groups);
  const zeros = after === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array.from({ length: zeros }, () => '0'), ...(after ?? [])];
  return `${all
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

function groups(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
