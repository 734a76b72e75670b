import { blocks, isInAny, isInBlock, type IpAddress, type IpBlock } from './ip-address.js';

/**
 * IANA IPv4 Special-Purpose Address Registry (RFC 6890 and later), including globally reachable blocks that cannot hold
 * a calendar server (AS112, 6to4 relays).
 */
const SPECIAL_IPV4 = blocks(
  '0.0.0.0/8', // RFC 791 this network
  '10.0.0.0/8', // RFC 1918
  '100.64.0.0/10', // RFC 6598 carrier-grade NAT
  '127.0.0.0/8', // RFC 1122 loopback
  '169.254.0.0/16', // RFC 3927 link local, cloud metadata
  '172.16.0.0/12', // RFC 1918
  '192.0.0.0/24', // RFC 6890 protocol assignments
  '192.0.2.0/24', // RFC 5737 documentation
  '192.31.196.0/24', // RFC 7535 AS112
  '192.52.193.0/24', // RFC 7450 AMT
  '192.88.99.0/24', // RFC 7526 6to4 relay anycast
  '192.168.0.0/16', // RFC 1918
  '192.175.48.0/24', // RFC 7534 AS112
  '198.18.0.0/15', // RFC 2544 benchmarking
  '198.51.100.0/24', // RFC 5737
  '203.0.113.0/24', // RFC 5737
  '224.0.0.0/4', // RFC 5771 multicast
  '240.0.0.0/4', // RFC 1112 reserved, limited broadcast
  '168.63.129.16', // Azure platform address in public space
);

/** The only block of global unicast addresses (RFC 4291 §2.4). All others are blocked without being listed. */
const GLOBAL_UNICAST = blocks('2000::/3');

/** IANA IPv6 Special-Purpose Address Registry, within global unicast. */
const SPECIAL_IPV6 = blocks(
  '2001::/23', // RFC 2928: Teredo, benchmarking, ORCHID, DRIP
  '2001:db8::/32', // RFC 3849 documentation
  '2002::/16', // RFC 3056 6to4
  '2620:4f:8000::/48', // RFC 7534 AS112
  '3fff::/20', // RFC 9637 documentation
);

/**
 * Metadata services return credentials to any client: AWS, Azure, GCP, DigitalOcean (169.254.169.254), ECS and EKS
 * (169.254.170.2, .23), Alibaba (100.100.100.200), Oracle (192.0.0.192), Azure (168.63.129.16), AWS and GCP (IPv6).
 */
const METADATA = blocks(
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
);

/** IPv6 forms that embed an IPv4 address, and the number of bits to its right. */
const EMBEDDINGS: readonly { block: IpBlock; shift: bigint; inverted?: boolean }[] = [
  ...blocks('::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96').map((block) => ({ block, shift: 0n })),
  ...blocks('2002::/16').map((block) => ({ block, shift: 80n })),
  // Teredo inverts all bits of the client's address (RFC 4380 §4).
  ...blocks('2001::/32').map((block) => ({ block, shift: 0n, inverted: true })),
];

/** RFC 6052 §2.1 well-known prefix: IPv4 hosts as seen in a NAT64-only network. */
const NAT64 = blocks('64:ff9b::/96');

/** ISATAP: the interface identifier is 0000:5efe or 0200:5efe followed by an IPv4 address (RFC 5214 §6.1). */
function isIsatap({ version, value }: IpAddress): boolean {
  const marker = (value >> 32n) & 0xffffffffn;
  return version === 6 && (marker === 0x5efen || marker === 0x02005efen);
}

export function embeddedIpv4(address: IpAddress): IpAddress | null {
  if (address.version === 4) return null;
  const form = EMBEDDINGS.find(({ block }) => isInBlock(address, block));
  if (form === undefined) return isIsatap(address) ? { version: 4, value: address.value & 0xffffffffn } : null;
  const value = (address.value >> form.shift) & 0xffffffffn;
  return { version: 4, value: form.inverted === true ? value ^ 0xffffffffn : value };
}

export function isNat64(address: IpAddress): boolean {
  return isInAny(address, NAT64);
}

/** Whether the address is certainly public. False for all tunnel and translation forms, whatever they embed. */
export function isPublicAddress(address: IpAddress): boolean {
  if (address.version === 4) return !isInAny(address, SPECIAL_IPV4);
  return isInAny(address, GLOBAL_UNICAST) && !isInAny(address, SPECIAL_IPV6) && !isIsatap(address);
}

/** Includes IPv4 metadata addresses embedded in IPv6. No setting allows them. */
export function isMetadataAddress(address: IpAddress): boolean {
  const inner = embeddedIpv4(address);
  return isInAny(address, METADATA) || (inner !== null && isInAny(inner, METADATA));
}
