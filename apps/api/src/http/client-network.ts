import { isIPv6 } from 'node:net';

/** 16-bit groups in the network prefix of an IPv6 address (RFC 4291 §2.5.4). */
const NETWORK_GROUPS = 4;

/** Counts the /64 network of an IPv6 address as one caller: its owner has all 2^64 addresses. */
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
