import { isIPv4, isIPv6 } from 'node:net';

/** `value` has 32 bits for version 4, 128 for version 6. */
export interface IpAddress {
  version: 4 | 6;
  value: bigint;
}

export interface IpBlock {
  base: IpAddress;
  prefix: number;
}

const WIDTH = { 4: 32, 6: 128 } as const;

/**
 * RFC 4291 §2.2 and four decimal octets. Returns null for zone ids, brackets, octal, hexadecimal and shortened IPv4,
 * which other programs may read differently.
 */
export function parseIpAddress(text: string): IpAddress | null {
  if (isIPv4(text)) return { version: 4, value: ipv4Value(text) };
  return isIPv6(text) && !text.includes('%') ? { version: 6, value: ipv6Value(text) } : null;
}

/** Returns null for a base with bits below the prefix: a typing error. */
export function parseIpBlock(text: string): IpBlock | null {
  const [address = '', length = '', ...rest] = text.split('/');
  const base = parseIpAddress(address);
  if (base === null || rest.length > 0 || !/^\d{1,3}$/.test(length)) return null;
  const prefix = Number(length);
  const width = WIDTH[base.version];
  if (prefix > width || (base.value & ((1n << BigInt(width - prefix)) - 1n)) !== 0n) return null;
  return { base, prefix };
}

export function isInBlock(address: IpAddress, { base, prefix }: IpBlock): boolean {
  if (address.version !== base.version) return false;
  const shift = BigInt(WIDTH[base.version] - prefix);
  return address.value >> shift === base.value >> shift;
}

export function blocks(...texts: readonly string[]): readonly IpBlock[] {
  return texts.map((text) => {
    const block = text.includes('/') ? parseIpBlock(text) : single(parseIpAddress(text));
    if (block === null) throw new TypeError(`not an address block: ${text}`);
    return block;
  });
}

export function isInAny(address: IpAddress, list: readonly IpBlock[]): boolean {
  return list.some((block) => isInBlock(address, block));
}

export function single(address: IpAddress | null): IpBlock | null {
  return address === null ? null : { base: address, prefix: WIDTH[address.version] };
}

function ipv4Value(text: string): bigint {
  return text.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n);
}

function ipv6Value(text: string): bigint {
  // The URL parser writes a dotted tail as two groups.
  const [left = [], right = []] = new URL(`http://[${text}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
