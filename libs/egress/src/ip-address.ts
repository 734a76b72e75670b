/** `value` has 32 bits for version 4, 128 for version 6. */
export interface IpAddress {
  version: 4 | 6;
  value: bigint;
}

export interface IpBlock {
  base: IpAddress;
  prefix: number;
}

export const WIDTH = { 4: 32, 6: 128 } as const;

/**
 * RFC 4291 §2.2 and four decimal octets. Returns null for zone ids, brackets, octal, hexadecimal and shortened IPv4,
 * which other programs may read differently.
 */
export function parseIpAddress(text: string): IpAddress | null {
  const four = parseIpv4(text);
  if (four !== null) return { version: 4, value: four };
  const six = parseIpv6(text);
  return six === null ? null : { version: 6, value: six };
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

export function isSameAddress(a: IpAddress, b: IpAddress): boolean {
  return a.version === b.version && a.value === b.value;
}

function parseIpv4(text: string): bigint | null {
  const octets = text.split('.');
  if (octets.length !== 4) return null;
  let value = 0n;
  for (const octet of octets) {
    if (!/^(0|[1-9]\d{0,2})$/.test(octet) || Number(octet) > 255) return null;
    value = (value << 8n) | BigInt(octet);
  }
  return value;
}

function parseIpv6(text: string): bigint | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head = '', tail] = halves;
  const left = parseGroups(head, tail === undefined);
  const right = parseGroups(tail ?? '', true);
  if (left === null || right === null) return null;
  const missing = 8 - left.length - right.length;
  // `::` stands for at least one group (RFC 5952 §4.2.2 forbids writing it for one, readers accept it).
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...left, ...Array<bigint>(missing).fill(0n), ...right];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

/** Groups of 16 bits. A dotted IPv4 tail counts as two and may only end the whole address. */
function parseGroups(text: string, mayEndDotted: boolean): bigint[] | null {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (mayEndDotted && index === parts.length - 1 && part.includes('.')) {
      const four = parseIpv4(part);
      if (four === null) return null;
      groups.push(four >> 16n, four & 0xffffn);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(BigInt(`0x${part}`));
    } else {
      return null;
    }
  }
  return groups;
}
